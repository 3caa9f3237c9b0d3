"""YAML configuration files, with the file and line in every error message.

A key may not repeat. YAML's own reading of values is not used, because it takes ``1e-4`` for a string, ``1:30`` for 90
and ``no`` for False: every value stays text until pydantic converts it to the type of its field.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.input_files import open_input
from hedgehog.runtime.text_files import plain_text
from hedgehog.runtime.validation import keys_of, suggest

MAX_FILE_BYTES: Final = 1 << 20
_MAX_DEPTH: Final = 8
_MAX_VALUES: Final = 100_000

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
KeyPath = tuple[str, ...]


class ConfigFile(Generic[M]):
    """A parsed configuration: the filled-in model, and the line of every key for error messages."""

    def __init__(self, text: str, model: type[M], error: type[InputError], source: str | None, what: str) -> None:
        """Parses the text of a configuration file.

        :param model: the pydantic model that the content must fit.
        :param error: the class of the exceptions raised; they carry ``source`` and line.
        :param source: the file's name for messages, if there is a file.
        :param what: what the file describes, with its article, for messages: ``a spot``.
        :raises InputError: an exception of class ``error``, if the text is not YAML or does not fit the model.
        """
        self.source = source
        self._error = error
        self._what = what
        self._lines: dict[KeyPath, int] = {(): 1}
        self._values_left = _MAX_VALUES
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark or problem.context_mark
            raise error(
                f"not valid YAML: {problem.problem or problem}", source=source, line=mark.line + 1 if mark else None
            ) from None
        except (yaml.YAMLError, RecursionError) as problem:
            raise error(f"not valid YAML: {str(problem).splitlines()[0]}", source=source) from None
        if not isinstance(node, yaml.MappingNode):
            names = ", ".join(list(model.model_fields)[:3])
            raise error(f"expected {what} with keys such as {names}", source=source, line=1)
        try:
            self.model: M = model.model_validate(self._plain(node, ()))
        except ValidationError as problem:
            raise self._first_error(problem, model) from None

    def fail(self, path: KeyPath, message: str) -> InputError:
        """Returns an error about a key, ready to be raised.

        Its line is that of the key, or of the innermost key around it that stands in the file.

        :param path: the keys and list indices that lead to the key.
        :param message: what is wrong.
        """
        while path not in self._lines:
            path = path[:-1]
        return self._error(message, source=self.source, line=self._lines[path])

    def has(self, path: KeyPath) -> bool:
        """Tells whether a key stands in the file.

        :param path: the keys and list indices that lead to the key.
        """
        return path in self._lines

    def at(self, path: KeyPath, make: Callable[..., T], *arguments: Any, prefix: bool = True) -> T:
        """Returns ``make(*arguments)``; an :class:`InputError` that it raises gets the file and line of a key.

        :param path: the keys and list indices that lead to the key.
        :param prefix: start the message with the name of the key.
        :raises InputError: an exception of the file's error class, in place of the one that ``make`` raised.
        """
        try:
            return make(*arguments)
        except InputError as error:
            raise self.fail(path, f"{self.name(path)}: {error.message}" if prefix else error.message) from None

    def name(self, path: KeyPath) -> str:
        """Returns the name of the key at a path for messages, such as ``'sizes.river'``."""
        return repr(".".join(path)) if path else self._what

    def _plain(self, node: yaml.Node, path: KeyPath) -> Any:
        """Returns nested dicts and lists of strings, and notes the line of every key and list item."""
        line = node.start_mark.line + 1
        self._lines.setdefault(path, line)
        if isinstance(node, yaml.ScalarNode):
            return None if node.tag == "tag:yaml.org,2002:null" else node.value
        # An alias may lead back to its own anchor, and aliases of aliases can multiply without end.
        if len(path) > _MAX_DEPTH:
            raise self._error("nested too deeply", source=self.source, line=line)
        self._values_left -= len(node.value)
        if self._values_left < 0:
            raise self._error(f"more than {_MAX_VALUES} values", source=self.source, line=line)
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item, (*path, str(i))) for i, item in enumerate(node.value)]
        if not isinstance(node, yaml.MappingNode):
            raise self._error(f"expected text or a number for {self.name(path)}", source=self.source, line=line)
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key_line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error("expected a plain key", source=self.source, line=key_line)
            key = str(key_node.value)
            if key in values:
                message = f"the key {self.name((*path, key))} is repeated"
                raise self._error(message, source=self.source, line=key_line)
            self._lines[*path, key] = key_line
            values[key] = self._plain(value_node, (*path, key))
        return values

    def _first_error(self, error: ValidationError, model: type[M]) -> InputError:
        """Turns the first of pydantic's complaints into one message: in file order, but unknown keys before others.

        A misspelt key is a missing one, too; its own line says more.
        """
        complaints = []
        for details in error.errors(include_url=False):
            path = tuple(str(part) for part in details["loc"])
            match details["type"]:
                case "extra_forbidden":
                    message = f"unknown key {self.name(path)}{suggest(path[-1], keys_of(model, path[:-1]))}"
                case "missing":
                    message = f"the key {self.name(path)} is missing"
                case "model_type":
                    message = f"expected keys below {self.name(path)}"
                case _:
                    text = details["msg"].removeprefix("Value error, ")
                    message = f"{self.name(path)}: {text[:1].lower()}{text[1:]}, got {details['input']!r}"
            unknown = details["type"] == "extra_forbidden"
            complaints.append((not unknown, self.fail(path, message)))
        return min(complaints, key=lambda item: (item[0], item[1].line or 0, item[1].message))[1]


def read_text(path: str | Path, error: type[InputError], what: str) -> str:
    """Returns the text of a configuration file.

    :param error: the class of the exceptions raised.
    :param what: what the file describes, with its article, for messages: ``a spot``.
    :raises InputError: an exception of class ``error``, if the file cannot be read, is larger than 1 MiB or not UTF-8.
    """
    source = str(path)
    try:
        with open_input(path) as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise error(f"{what} file has at most {MAX_FILE_BYTES} bytes", source=source)
        return plain_text(data).decode()
    except OSError as problem:
        raise error(f"cannot read {what} file: {problem.strerror}", source=source) from None
    except UnicodeDecodeError:
        raise error(f"{what} file is not UTF-8 text", source=source) from None
    except InputError as problem:
        raise error(problem.message, source=source) from None


def include_file(text: str, key: str, path: str | Path, error: type[InputError]) -> str:
    """Returns a configuration in which a line ``key: FILE.yaml`` has become the value of this key in FILE.

    The value is written in one line, so that line numbers in messages stay right. A text without such a line is
    returned as it is.

    :param text: text of the configuration.
    :param key: a key at the beginning of a line.
    :param path: file of the configuration; FILE is relative to its folder.
    :param error: the class of the exceptions raised.
    :raises InputError: an exception of class ``error``, if FILE cannot be read, is not YAML or lacks the key.
    """
    found = re.search(rf"^{key}:[ \t]+([^\s#{{\[&*!|>'\"][^\n#]*\.ya?ml)[ \t]*(?:#.*)?$", text, re.MULTILINE)
    if found is None:
        return text
    source = Path(path).parent / found[1].strip()
    content = read_text(source, error, "a menu")
    try:
        value = yaml.load(content, Loader=yaml.BaseLoader)  # texts, lists and mappings only
    except (yaml.YAMLError, RecursionError) as problem:
        raise error(f"not valid YAML: {str(problem).splitlines()[0]}", source=str(source)) from None
    if not isinstance(value, dict) or key not in value:
        raise error(f"expected the key {key!r}", source=str(source))
    flow = yaml.safe_dump(value[key], default_flow_style=True, width=MAX_FILE_BYTES, sort_keys=False)
    return f"{text[: found.start()]}{key}: {flow.splitlines()[0]}{text[found.end() :]}"


def read_config(
    path: str | Path, model: type[M], error: type[InputError], what: str, text: str | None = None
) -> ConfigFile[M]:
    """Returns the parsed content of a YAML configuration file.

    :param model: the pydantic model that the content must fit.
    :param error: the class of the exceptions raised.
    :param what: what the file describes, with its article, for messages: ``a spot``.
    :param text: text of the file, if it has been read already.
    :raises InputError: an exception of class ``error`` with file and line, if the file cannot be read, is not YAML or
        does not fit the model.
    """
    return ConfigFile(read_text(path, error, what) if text is None else text, model, error, str(path), what)
