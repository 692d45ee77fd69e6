"""`spades-ptn/1`: a game written as text that people can follow and programs can read.

The format is told in `docs/ptn.md`. What is written is read back first, and what is read is
written again, so that a text and its transcript stand for each other to the byte.
"""

from itertools import zip_longest

from spades.errors import DamagedTranscript
from spades.game.notation.forms import FORMAT
from spades.game.notation.reading import damaged, parsed
from spades.game.notation.transcript import HandTranscript, Transcript, transcript_of
from spades.game.notation.writing import lines_of

__all__ = ["FORMAT", "HandTranscript", "Transcript", "read", "transcript_of", "write"]


def write(transcript: Transcript) -> str:
    """Returns the text of a transcript.

    Raises DamagedTranscript if the transcript is not that of a game.
    """
    text = "".join(f"{line}\n" for line in lines_of(transcript))
    if parsed(text) != transcript:
        raise DamagedTranscript("The transcript holds what its text does not tell.")
    return text


def read(text: str) -> Transcript:
    """Returns the transcript that was written as this text.

    Raises DamagedTranscript for anything that `write` does not write, naming the line.
    """
    transcript = parsed(text)
    pairs = zip_longest(text.split("\n"), [*lines_of(transcript), ""], fillvalue="")
    for number, (line, canonical) in enumerate(pairs, 1):
        if line != canonical:
            raise damaged(number, f"{canonical or 'nothing'} is written here")
    return transcript
