"""Fields that take JSON literally, and the faults they find.

A fault is `{"code", "detail", ...}`; with its JSON pointer it stands in the `errors` of a
`validation_failed` problem. No field turns one JSON type into another.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from spades.game.cards import CARDS

Fault = dict[str, Any]

MISSING: Fault = {"code": "required", "detail": "Must be given."}
NULL: Fault = {"code": "invalid_type", "detail": "Must not be null."}
UNKNOWN: Fault = {"code": "unknown_field", "detail": "There is no such field here."}
NO_OBJECT: Fault = {"code": "invalid_type", "detail": "Must be an object."}


def component(name: str, **more: Any) -> dict[str, Any]:
    """Returns the metadata of a field that a component of the document describes."""
    return {"allOf": [{"$ref": f"#/components/schemas/{name}"}], **more}


def wrong_type(wanted: str) -> ValidationError:
    """Returns the fault of a value that has another JSON type."""
    return ValidationError([{"code": "invalid_type", "detail": f"Must be {wanted}."}])


def choice_fault(choices: Iterable[str]) -> Fault:
    """Returns the fault of a word that is none of a few."""
    words = list(choices)
    detail = f"Must be one of {', '.join(words)}."
    return {"code": "invalid_choice", "detail": detail, "choices": words}


def out_of_range(least: int, most: int, detail: str = "") -> ValidationError:
    """Returns the fault of a number or a length outside its range."""
    told = detail or f"Must be from {least} to {most}."
    return ValidationError([{"code": "out_of_range", "detail": told, "min": least, "max": most}])


def invalid(detail: str) -> ValidationError:
    """Returns the fault of a value that is wrong in some other way."""
    return ValidationError([{"code": "invalid", "detail": detail}])


class Request(Schema):
    """The shape of a body that is sent to the service: unknown fields are faults."""

    error_messages: dict[str, Any] = {"unknown": UNKNOWN, "type": NO_OBJECT}  # noqa: RUF012 - as marshmallow has it

    class Meta:
        unknown = RAISE


class _Strict:
    default_error_messages: ClassVar[dict[str, Any]] = {"required": [MISSING], "null": [NULL]}


class Whole(_Strict, fields.Integer):
    """A JSON integer in a range; 3.0, "3" and true are none."""

    def __init__(self, least: int, most: int, **more: Any) -> None:
        super().__init__(validate=Between(least, most), strict=True, **more)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> int:
        if type(value) is not int:
            raise wrong_type("a whole number")
        return value


class Flag(_Strict, fields.Boolean):
    """A JSON boolean."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise wrong_type("true or false")
        return value


class Text(_Strict, fields.String):
    """A JSON string."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise wrong_type("a string")
        return value


class Word(Text):
    """One of a few words."""

    def __init__(self, choices: Iterable[str], **more: Any) -> None:
        super().__init__(validate=OneOf(choices), **more)


class CardName(_Strict, fields.Raw):
    """A card, such as `TD`."""

    def __init__(self, **more: Any) -> None:
        super().__init__(metadata=component("Card"), **more)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise wrong_type("a string")
        if value not in CARDS:
            told = "Must be a card such as TD: one of 23456789TJQKA, then one of CDHS."
            raise ValidationError([{"code": "invalid_choice", "detail": told}])
        return value


class Part(_Strict, fields.Nested):
    """An object inside an object."""


class Many(_Strict, fields.List[Any]):
    """A JSON array."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise wrong_type("an array")
        return super()._deserialize(value, *args, **kwargs)


class AnyObject(_Strict, fields.Dict):
    """A JSON object with any members."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise wrong_type("an object")
        return value


class Between(validate.Range):
    """Checks a number's range."""

    def __init__(self, least: int, most: int) -> None:
        super().__init__(min=least, max=most)
        self.least, self.most = least, most

    def __call__(self, value: Any) -> Any:
        """Returns the value; raises its fault."""
        if not self.least <= value <= self.most:
            raise out_of_range(self.least, self.most)
        return value


class OneOf(validate.OneOf):
    """Checks that a word is one of a few."""

    def __init__(self, choices: Iterable[str]) -> None:
        super().__init__(list(choices))

    def __call__(self, value: Any) -> str:
        """Returns the word; raises its fault."""
        if value not in self.choices:
            raise ValidationError([choice_fault(self.choices)])
        return str(value)


class Length(validate.Length):
    """Checks how many characters or items there are."""

    def __init__(self, least: int, most: int, what: str) -> None:
        super().__init__(min=least, max=most)
        self.least, self.most, self.what = least, most, what

    def __call__(self, value: Any) -> Any:
        """Returns the value; raises its fault."""
        if not self.least <= len(value) <= self.most:
            detail = f"Must have {self.least} to {self.most} {self.what}."
            raise out_of_range(self.least, self.most, detail)
        return value


def printable(value: str) -> None:
    """Refuses control characters."""
    if has_controls(value):
        raise invalid("Must not hold control characters.")


def has_controls(text: str) -> bool:
    """Whether a text holds a character of Unicode's category Cc."""
    return any(unicodedata.category(character) == "Cc" for character in text)


def faults_of(messages: Any, pointer: str = "") -> Iterator[Fault]:
    """Yields the faults in marshmallow's messages, each with its JSON pointer."""
    if isinstance(messages, Mapping) and not isinstance(messages.get("code"), str):
        for key, inner in messages.items():
            yield from faults_of(inner, pointer if key == "_schema" else f"{pointer}/{_token(key)}")
    elif isinstance(messages, Sequence) and not isinstance(messages, str):
        for inner in messages:
            yield from faults_of(inner, pointer)
    else:
        yield {"pointer": pointer, **messages}


def _token(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")
