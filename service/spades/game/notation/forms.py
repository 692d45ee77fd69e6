"""The words of the notation and the forms of its lines, as `docs/ptn.md` tells them."""

import re
from dataclasses import fields

from spades.game.events import SideScore

FORMAT = "spades-ptn/1"
CLAIMED = "claimed"
NIL = "nil"
UNKNOWN = "?"
NONE = "-"
MADE = "made"
PARTS = tuple(part.name for part in fields(SideScore))
WORDS = {"null": None, "true": True, "false": False}

YES_OR_NO = "yes|no"
NUMBER = r"0|-?[1-9][0-9]{0,15}"
WORD = r"[a-z0-9_-]+"
HEX = r"[0-9a-f]{64}"
SEAT = r"([NESW])"
CARD = r"(?:[2-9TJQKA][CDHS]|\?)"
HELD = rf"(-|{CARD}(?: {CARD})*)"

GAME_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
OPTION = rf"([a-z0-9_]+)=((?:{NUMBER})|[a-z_]+)"
PLAYER = rf"open|human|claimed|bot {WORD}"
QUOTED = r'(?:[^"\\]|\\["\\])*'

BLIND = re.compile(rf"blind {SEAT}: (look|double nil)")
KEPT = re.compile(rf"draft ([0-9]+) {SEAT}: keep ({CARD}) discard ({CARD})")
REFUSED = re.compile(rf"draft ([0-9]+) {SEAT}: refuse ({CARD}) keep ({CARD})")
STOCK = re.compile(rf"stock: {HELD}")
BID = re.compile(rf"bid {SEAT}: (nil|[1-9]|1[0-3])")
GIVEN = re.compile(rf"give {SEAT}: {HELD}")
REPLACED = re.compile(rf"replace {SEAT}: throw {HELD} draw {HELD}")
TRICK = re.compile(rf"trick ([0-9]+) {SEAT}: {HELD}(?: won by {SEAT})?")
SCORED = " ".join(f"{part}=({YES_OR_NO if part == MADE else NUMBER})" for part in PARTS)
EMPTY = re.compile("")
