"""The shapes of answers, for the document.

Answers are bytes made straight from the views: these schemas never touch them, and the tests
hold every answer against them. Every key is always there; null says that it does not apply.
"""

from collections.abc import Iterable
from typing import Any

from marshmallow import EXCLUDE, Schema, fields

from spades.api.faults import component
from spades.game.audience import ViewerKind
from spades.game.commands import PlayerKind
from spades.game.position import Phase, Status
from spades.game.rulesets import OPTION_KINDS, OPTION_MEANINGS, RULESETS, Choice, WholeNumber
from spades.game.seats import Seat, Side

HEX = "^[0-9a-f]{64}$"
BLOCKS = ("not_your_turn", "wrong_phase", "must_follow_suit", "spades_not_broken")
REASONS = (
    "target_reached",
    "floor_reached",
    "max_hands",
    "resigned",
    "forfeited",
    "adjudicated",
)

OUTCOMES = (Status.FINISHED, Status.ABORTED)


class Shape(Schema):
    """The shape of an answer; fields may be added, and clients ignore what they don't know."""

    class Meta:
        unknown = EXCLUDE


def text(says: str, *, null: bool = False, **more: Any) -> fields.String:
    """Returns a string."""
    return fields.String(required=True, allow_none=null, metadata={"description": says, **more})


def word(says: str, words: Iterable[str], *, null: bool = False) -> fields.String:
    """Returns one of a few words; null is one more of them where it is allowed."""
    choices: list[str | None] = [str(one) for one in words]
    told = {"description": says, "enum": [*choices, None] if null else choices}
    return fields.String(required=True, allow_none=null, metadata=told)


def whole(
    says: str, least: int | None = None, most: int | None = None, *, null: bool = False
) -> fields.Integer:
    """Returns an integer."""
    limits = {"minimum": least, "maximum": most}
    told = {"description": says, **{k: v for k, v in limits.items() if v is not None}}
    return fields.Integer(required=True, allow_none=null, metadata=told)


def flag(says: str, *, null: bool = False) -> fields.Boolean:
    """Returns a boolean."""
    return fields.Boolean(required=True, allow_none=null, metadata={"description": says})


def part(shape: type[Schema], says: str, *, null: bool = False) -> fields.Nested:
    """Returns an object of another shape."""
    return fields.Nested(shape, required=True, allow_none=null, metadata={"description": says})


def many(
    inner: type[Schema] | fields.Field[Any], says: str, *, null: bool = False
) -> fields.List[Any]:
    """Returns a list."""
    of = inner if isinstance(inner, fields.Field) else fields.Nested(inner)
    return fields.List(of, required=True, allow_none=null, metadata={"description": says})


def by_name(inner: type[Schema] | fields.Field[Any], says: str) -> fields.Dict:
    """Returns an object with one member for each seat or side."""
    of = inner if isinstance(inner, fields.Field) else fields.Nested(inner)
    told = {"description": says}
    return fields.Dict(keys=fields.String(), values=of, required=True, metadata=told)


def a_card(says: str, *, null: bool = False) -> fields.Raw:
    """Returns a card."""
    return fields.Raw(required=True, allow_none=null, metadata=component("Card", description=says))


def some_cards(says: str, *, null: bool = False) -> fields.List[Any]:
    """Returns cards."""
    return many(fields.Raw(metadata=component("Card")), says, null=null)


def a_seat(says: str, *, null: bool = False) -> fields.String:
    """Returns a seat."""
    return word(says, Seat, null=null)


def a_side(says: str, *, null: bool = False) -> fields.String:
    """Returns a side."""
    return word(says, Side, null=null)


def moment(says: str) -> fields.String:
    """Returns a time in RFC 3339, UTC, with milliseconds."""
    return text(says, format="date-time")


def game_id() -> fields.String:
    """Returns a game's id."""
    return text("The game's id, a UUIDv7.", format="uuid")


def link(says: str, *, null: bool = False) -> fields.String:
    """Returns a path of this service."""
    return text(says, null=null, format="uri-reference")


def digest(says: str, *, null: bool = False) -> fields.String:
    """Returns 32 bytes in hex."""
    return text(says, null=null, pattern=HEX)


def _option(name: str) -> fields.Field[Any]:
    kind, told = OPTION_KINDS[name], OPTION_MEANINGS[name]
    if isinstance(kind, WholeNumber):
        return whole(told, kind.least, kind.most, null=kind.nullable)
    return word(told, kind.words) if isinstance(kind, Choice) else flag(told)


Options = Shape.from_dict({name: _option(name) for name in OPTION_KINDS}, name="Options")


class Viewer(Shape):
    """Who looks at the game."""

    kind = word("In what role.", ViewerKind)
    seat = a_seat("The viewer's seat.", null=True)
    side = a_side("The viewer's side.", null=True)
    partner = a_seat("The seat opposite, at a table of four.", null=True)
    left = a_seat("The next seat clockwise.", null=True)
    right = a_seat("The seat before, clockwise.", null=True)


class Turn(Shape):
    """Who is to act."""

    seats = many(a_seat(""), "The seats that may act now; several in a simultaneous phase.")
    yours = flag("Whether the viewer is one of them.")
    deadline = text("Kept for clocks: null.", null=True, format="date-time")
    remaining_ms = whole("Kept for clocks: null.", null=True)


class Bid(Shape):
    """A bid: a number of tricks, Nil, or Double Nil."""

    tricks = whole("0 for Nil and Double Nil.", 0, 13)
    nil = flag("Whether it is a Nil.")
    double_nil = flag("Whether it is a Double Nil.")


class SeatView(Shape):
    """A seat as everybody sees it."""

    seat = a_seat("The seat.")
    side = a_side("The side it plays for.")
    kind = word("Who sits there.", PlayerKind)
    name = text("The name to show.", null=True)
    level = text("A bot's level.", null=True)
    cards = whole("How many cards it holds.", 0, 26)
    looked = flag("Whether it may see its cards; null in two-player.", null=True)
    bid = part(Bid, "Its bid, once made.", null=True)
    tricks = whole("Tricks it took in this hand.", 0, 13)
    exchanged = flag("Whether it has exchanged; null where it need not.", null=True)
    exchanged_cards = whole("How many cards it exchanged.", 0, 13, null=True)


class SideView(Shape):
    """A side's score."""

    side = a_side("The side.")
    points = whole("Its points so far.")
    bags = whole("Its bags so far.", 0)
    contract = whole("What its seats bid together, once all have.", 0, 26, null=True)
    tricks = whole("Tricks it took in this hand.", 0, 13)


class HeldCard(Shape):
    """A card in the viewer's hand."""

    card = a_card("The card.")
    playable = flag("Whether it may be played now.")
    blocked_by = word("What keeps it from being played.", BLOCKS, null=True)


class DraftChoice(Shape):
    """What a drawer did with the card shown."""

    seat = a_seat("The drawer.")
    kept = flag("Whether the card shown was kept.")


class Draft(Shape):
    """The draft of the two-player game."""

    card = a_card("The card shown to the viewer; null for the other.", null=True)
    turn = whole("The turn of the draft.", 1, 26)
    stock = whole("Face-down cards left without the one shown.", 0, 51)
    choices = many(DraftChoice, "What was chosen so far.")


class ExchangeView(Shape):
    """The exchange of a hand with a Double Nil."""

    owed_by = many(a_seat(""), "The seats that have not exchanged yet.")
    min = whole("The least number of cards.", 0, 13)
    max = whole("The greatest number of cards.", 0, 13)


class PlayedCard(Shape):
    """A card on the table."""

    seat = a_seat("Who played it.")
    card = a_card("The card.")


class Trick(Shape):
    """A finished trick."""

    number = whole("Its number in the hand.", 1, 13)
    leader = a_seat("Who led.")
    plays = many(PlayedCard, "The cards in the order played.")
    winner = a_seat("Who took it.")


class OpenTrick(Shape):
    """The trick on the table."""

    number = whole("Its number in the hand.", 1, 13)
    leader = a_seat("Who leads.")
    plays = many(PlayedCard, "The cards in the order played.")
    winning = a_seat("Who would take it as it stands.", null=True)


class UndoView(Shape):
    """Whether the viewer may take back the last bid or card."""

    allowed = flag("Kept for take-backs: false.")
    blocked_by = text("Why not.", null=True)


class Result(Shape):
    """How a game ended."""

    winner = a_side("The side that won; null only for a draw.", null=True)
    reason = word("Why it ended.", REASONS)
    points = by_name(whole(""), "Points by side.")
    bags = by_name(whole("", 0), "Bags by side.")
    hands = whole("Hands scored.", 0)


class Fairness(Shape):
    """What the service committed itself to before the cards were seen."""

    algorithm = text("How cards are dealt.")
    game_commit = digest("The commitment to the game's seed.")
    hand_commit = digest("The commitment to this hand's seed.", null=True)


class GameLinks(Shape):
    """Where to go from a view."""

    self = link("The view.")
    actions = link("Where to act.")
    events = link("The log.")


class GameView(Shape):
    """A game as one viewer sees it. Every key is there in every phase."""

    id = game_id()
    version = whole("The number of events so far; the `expected_version` of an action.", 1)
    ruleset = word("The game's ruleset.", RULESETS)
    options = part(Options, "The game's options, resolved.")
    status = word("Where the game is in its life.", Status)
    phase = word("The part of the hand.", Phase, null=True)
    viewer = part(Viewer, "Who looks.")
    server_time = moment("The time of the answer.")
    turn = part(Turn, "Who is to act.")
    hand_number = whole("The number of the hand.", 1, null=True)
    dealer = a_seat("The dealer; in two-player, who draws first.")
    seats = many(SeatView, "All seats, clockwise from the north.")
    sides = many(SideView, "All sides.")
    hand = many(HeldCard, "The viewer's cards, spades first, high to low.", null=True)
    hand_withheld = word("Why a seat does not see its cards.", ("blind_choice",), null=True)
    draft = part(Draft, "The draft, while it lasts.", null=True)
    exchange = part(ExchangeView, "The exchange, while it lasts.", null=True)
    given = some_cards("The cards the viewer gave or threw.", null=True)
    received = some_cards("The cards the viewer got for them.", null=True)
    refused = some_cards("The cards the viewer refused in the draft.", null=True)
    tricks = many(Trick, "This hand's finished tricks.")
    trick = part(OpenTrick, "The trick on the table.", null=True)
    last_trick = part(Trick, "The last finished trick of the game.", null=True)
    spades_broken = flag("Whether spades are broken.")
    legal_actions = many(
        fields.Raw(metadata=component("LegalAction")),
        "Everything the viewer may do, each ready to be sent; an exchange is offered as a choice.",
    )
    undo = part(UndoView, "Whether the viewer may take something back.")
    result = part(Result, "How the game ended.", null=True)
    fairness = part(Fairness, "Commitments to check the deals against.")
    log_head = digest("The hash of the last event.")
    quarantined = flag("Whether the game takes no more actions, because its log diverges.")
    links = part(GameLinks, "Where to go from here.")


class Created(Shape):
    """A new game, with what opens its seats."""

    game = part(GameView, "The game: as the only human seat sees it, or as a spectator does.")
    tokens = by_name(text(""), "The token of each human seat.")
    join_codes = by_name(text(""), "The code that claims each open seat.")


class Claimed(Shape):
    """A seat taken."""

    token = text("The token of the seat.")
    game = part(GameView, "The game as the seat sees it.")


class Accepted(Shape):
    """What became of an action."""

    version = whole("The version of the action's own event.", 1)
    replayed = flag("Whether the log knew the action already.")


class Acted(Shape):
    """What followed from an action."""

    accepted = part(Accepted, "What became of it.")
    events = many(
        fields.Raw(metadata=component("Event")),
        "Every event since `expected_version`, as the seat may see it.",
    )
    view = part(GameView, "The game now.")


class EventPage(Shape):
    """A page of a game's log."""

    items = many(fields.Raw(metadata=component("Event")), "The events, oldest first.")
    last_version = whole("The version of the game's last event.", 1)
    next = link("The next page; null when nothing newer exists.", null=True)


class SeatProfile(Shape):
    """Whom a platform has told to be in a seat."""

    name = text("The name to show.", null=True)
    player_ref = text("The platform's own reference.", null=True)


class SummaryLinks(Shape):
    """Where to go from a summary."""

    self = link("The view.")


class GameSummary(Shape):
    """One game in a platform's list."""

    id = game_id()
    ruleset = word("The game's ruleset.", RULESETS)
    status = word("Where the game is in its life.", Status)
    version = whole("The number of events so far.", 1)
    created_at = moment("When it was created.")
    updated_at = moment("When something last happened.")
    seats = by_name(SeatProfile, "Names and references of the seats that have any.")
    metadata = fields.Dict(required=True, metadata={"description": "What the platform keeps."})
    links = part(SummaryLinks, "Where to go from here.")


class GamePage(Shape):
    """A page of a platform's games."""

    items = many(GameSummary, "The games, newest first.")
    next = link("The next page; null when there is none.", null=True)


class HandDraftTurn(Shape):
    """One turn of the draft, as a viewer may see it."""

    turn = whole("Its number.", 1, 26)
    seat = a_seat("The drawer.")
    kept_first = flag("Whether the card shown was kept.")
    kept = a_card("The card kept.", null=True)
    discarded = a_card("The card that went to the discards.", null=True)


class HandBid(Shape):
    """A bid of the hand."""

    seat = a_seat("Who bid.")
    tricks = whole("0 for Nil and Double Nil.", 0, 13)
    nil = flag("Whether it is a Nil.")
    double_nil = flag("Whether it is a Double Nil.")


class HandExchange(Shape):
    """An exchange of the hand, as a viewer may see it."""

    seat = a_seat("Who exchanged.")
    count = whole("How many cards, where a player exchanges alone.", 0, 13, null=True)
    given = some_cards("The cards given or thrown.", null=True)
    drawn = some_cards("The cards drawn for them.", null=True)


class HandTrick(Shape):
    """A trick of the hand."""

    number = whole("Its number.", 1, 13)
    leader = a_seat("Who led.")
    cards = some_cards("The cards in the order played.")
    winner = a_seat("Who took it.")


class HandRecord(Shape):
    """The record of one hand; what the viewer may not see is null."""

    number = whole("The hand's number.", 1)
    dealer = a_seat("The dealer; in two-player, who draws first.")
    first_version = whole("The version of its first event.", 1)
    last_version = whole("The version of its last event so far.", 1)
    hand_commit = digest("The commitment to the hand's seed.")
    hand_seed = digest("The seed, told when the hand was scored.", null=True)
    holdings = fields.Dict(
        keys=fields.String(),
        values=some_cards("", null=True),
        required=True,
        allow_none=True,
        metadata={"description": "The cards dealt to each seat; null in two-player."},
    )
    stock = some_cards("The stock of the two-player game, top first.", null=True)
    draft = many(HandDraftTurn, "The turns of the two-player draft.", null=True)
    bids = many(HandBid, "The bids in the order made.")
    exchanges = many(HandExchange, "The exchanges in the order made.")
    tricks = many(HandTrick, "The tricks taken so far.")
    sides = fields.Dict(
        keys=fields.String(),
        values=fields.Raw(metadata=component("SideScore")),
        required=True,
        allow_none=True,
        metadata={"description": "The parts of each side's score, once the hand is scored."},
    )


class RulesetView(Shape):
    """A game that can be played."""

    name = word("Its name.", RULESETS)
    title = text("What it is.")
    seats = many(a_seat(""), "Its seats, clockwise from the north.")
    sides = many(a_side(""), "Its sides.")
    default_seats = by_name(word("", PlayerKind), "Who sits in each seat unless told otherwise.")
    defaults = part(Options, "Its options unless told otherwise.")
    options_schema = fields.Dict(
        required=True,
        metadata={"description": "The JSON Schema (2020-12) of `options` in a creation."},
    )
    links = part(SummaryLinks, "Where to find it.")


class RulesetList(Shape):
    """All rulesets."""

    items = many(RulesetView, "The rulesets.")


class BotLevel(Shape):
    """A level that a bot may have."""

    id = text("The `level` of a bot seat.")
    version = text("The policy that every event of such a bot records.")
    rulesets = many(word("", RULESETS), "The games it plays.")
    deterministic = flag("Whether the same view and seed always give the same action.")
    typical_ms = fields.Float(
        required=True, metadata={"description": "The usual time of one decision."}
    )
    summary = text("How it plays.")


class BotList(Shape):
    """All levels of bots."""

    items = many(BotLevel, "The levels, weakest first.")


class Me(Shape):
    """What the service knows about the caller."""

    kind = word("Whose token it is.", ("platform", "seat", "spectator", "auditor", "anonymous"))
    name = text("The platform's name.", null=True)
    game = text("The game that the token is for.", null=True, format="uuid")
    seat = a_seat("The seat.", null=True)
    may_create_games = flag("Whether this caller may create games.")


class Health(Shape):
    """Whether all is well."""

    status = word("Always the same word: anything else is a problem.", ("ok",))


class ErrorCode(Shape):
    """What a code means."""

    code = text("The stable code.")
    status = whole("The HTTP status it comes with.", 400, 599)
    title = text("What went wrong.")
    when = text("When it comes.")
    remedy = text("What to do.")
    retryable = flag("Whether the same request may succeed when sent again unchanged.")
