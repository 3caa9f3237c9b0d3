"""What the pages of the site are made of, read without importing what is documented.

Pages of ``docs`` keep their place. The front page is the README of the repository, and a file outside ``docs`` to which
a page links becomes a page that shows the file. The navigation is the list of pages in ``docs/README.md``, whose groups
are named after the people who read them.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import Final

from hedgehog.runtime.packages import PACKAGES, ROOT

DOCS: Final = ROOT / "docs"
LINK: Final = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^)\s#]*)(#[^)\s]*)?\)")
PROSE: Final = re.compile(r"(^```.*?^```)", flags=re.DOTALL | re.MULTILINE)
ROLE: Final = re.compile(r":(?:mod|func|class|meth|data|attr|exc|envvar):`(~?)([^`]+)`")

EXAMPLE: Final = re.compile(r"(^>>> .*?)(?=\n\n|\Z)", flags=re.DOTALL | re.MULTILINE)

RENAMED: Final = {
    "README.md": "index.md",
    "docs/README.md": "pages.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages whose names on the site differ from those in the repository."""


def site_path(file: str) -> str:
    """Returns the path on the site of a file or folder of the repository, given by its path there."""
    if file in RENAMED:
        return RENAMED[file]
    return file.removeprefix("docs/") if file.startswith("docs/") and is_served(file) else f"source/{file}.md"


def is_served(file: str) -> bool:
    """Tells whether mkdocs itself serves a file of ``docs``: a page, or a picture."""
    return file.endswith((".md", ".png", ".svg"))


def link_targets(page: str, text: str) -> set[str]:
    """Returns the files and folders of the repository to which a page links."""
    found = set()
    for part in PROSE.split(text)[::2]:
        for match in LINK.finditer(part):
            if match[2] and "://" not in match[2]:
                found.add(os.path.normpath(os.path.join(os.path.dirname(page), match[2])))
    return found


def with_site_links(page: str, text: str) -> str:
    """Returns the text of a page with its links to files of the repository changed to their places on the site."""
    here = os.path.dirname(site_path(page))

    def moved(match: re.Match[str]) -> str:
        name, target, anchor = match[1], match[2], match[3] or ""
        if not target or "://" in target:
            return match[0]
        file = os.path.normpath(os.path.join(os.path.dirname(page), target))
        return f"{name}({os.path.relpath(site_path(file), here or '.')}{anchor})"

    parts = PROSE.split(text)
    return "".join(part if place % 2 else LINK.sub(moved, part) for place, part in enumerate(parts))


def source_page(file: str) -> str:
    """Returns the page that shows a file, or the names in a folder."""
    path = ROOT / file
    if path.is_dir():
        names = "\n".join(f"- `{name.name}`" for name in sorted(path.iterdir()) if not name.name.startswith(("_", ".")))
        return f"# {file}\n\n{names}\n"
    fence = "`" * 6
    return f"# {file}\n\n{fence}{path.suffix.removeprefix('.')}\n{path.read_text(encoding='utf-8')}\n{fence}\n"


def source_files(pages: dict[str, str]) -> list[str]:
    """Returns the files and folders outside ``docs``, or not served from there, to which pages link.

    :param pages: the text of every page by its path in the repository.
    """
    targets = set().union(*(link_targets(page, text) for page, text in pages.items()))
    return sorted(file for file in targets if site_path(file).startswith("source/"))


def exported(package: str) -> dict[str, str]:
    """Returns the public names of a package and where each is defined, as its block for type checkers says.

    :param package: ``hedgehog`` or a package below it, such as ``hedgehog.poker``.
    """
    file = ROOT / "hedgehog" / Path(*package.split(".")[1:]) / "__init__.py"
    tree = ast.parse(file.read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: f"{node.module}.{alias.name}" for node in imports for alias in node.names}


def packages_with_names() -> list[str]:
    """Returns the packages that export names, ``hedgehog`` first."""
    folders = [name for name in PACKAGES if "lazy_exports" in (ROOT / name / "__init__.py").read_text(encoding="utf-8")]
    return ["hedgehog", *(f"hedgehog.{name}" for name in folders)]


def reference_pages() -> dict[str, str]:
    """Returns the Markdown of the reference by path on the site: a page per name of ``hedgehog``, one per package."""
    ours = exported("hedgehog")
    names = sorted(ours, key=str.lower)
    rows = "\n".join(f"- [`hedgehog.{name}`]({name}.md): {summary(ours[name])}" for name in names)
    packages = packages_with_names()[1:]
    more = "\n".join(f"- [`{package}`]({package}.md): {len(exported(package))} names" for package in packages)
    pages = {
        "reference/index.md": f"# Reference\n\nThe names of every day, `import hedgehog as hh`:\n\n{rows}\n\n"
        f"Each belongs to one of the packages, which have many more:\n\n{more}\n"
    }
    for name in names:
        pages[f"reference/{name}.md"] = f"# hedgehog.{name}\n\n::: {ours[name]}\n"
    for package in packages:
        blocks = "\n".join(f"::: {place}\n" for place in exported(package).values() if place not in ours.values())
        also = [name for name, place in exported(package).items() if place in ours.values()]
        links = ", ".join(f"[`{name}`]({name}.md)" for name in also)
        here = f"Also here: {links}.\n\n" if also else ""
        pages[f"reference/{package}.md"] = f"# {package}\n\n{package_text(package)}\n\n{here}{blocks}"
    return pages


def package_text(package: str) -> str:
    """Returns the docstring of a package as Markdown."""
    file = ROOT / Path(*package.split(".")[1:]) / "__init__.py"
    return as_markdown(ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "", {})


def summary(place: str) -> str:
    """Returns the first sentence of the docstring of a public name, as Markdown.

    :param place: where the name is defined, such as ``hedgehog.poker.cards.parse_cards``.
    """
    module, _, name = place.rpartition(".")
    file = ROOT / Path(*module.split(".")[1:])
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return as_markdown(" ".join((ast.get_docstring(node) or "").split("\n\n")[0].split()), {})
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            return summary(f"{node.module}.{name}")
    raise KeyError(place)


def as_markdown(text: str, pages: dict[str, str]) -> str:
    """Returns a docstring with its roles as code, linked where the reference has the object.

    :param pages: identifier in the reference by full name, such as ``hedgehog.poker.ranges.parse_range``.
    """

    def code(match: re.Match[str]) -> str:
        short = match[2].rpartition(".")[2] if match[1] else match[2]
        return f"[`{short}`][{pages[match[2]]}]" if match[2] in pages else f"`{short}`"

    text = re.sub(r"::$", ":", text, flags=re.MULTILINE)
    parts = EXAMPLE.split(text)
    shown = [
        f"```pycon\n{part}\n```" if place % 2 else ROLE.sub(code, part).replace("``", "`")
        for place, part in enumerate(parts)
    ]
    return "".join(shown)


def navigation() -> list[dict[str, object]]:
    """Returns the navigation: groups and pages of ``docs/README.md``, then the reference and the notebook."""
    groups: dict[str, list[str]] = {}
    for line in (DOCS / "README.md").read_text(encoding="utf-8").split("\n"):
        if heading := re.match(r"## (?!Pictures)(.*)", line):
            pages = groups.setdefault(heading[1], [])
        for _, target, _ in LINK.findall(line) if groups else ():
            if re.fullmatch(r"(validation/)?[\w-]+\.md", target) and not any(
                target in listed for listed in groups.values()
            ):
                pages.append(target)
    notebook = re.findall(r"\((\d{4}-[\w-]+\.md)\)", (DOCS / "notebook" / "README.md").read_text(encoding="utf-8"))
    names = sorted(exported("hedgehog"), key=str.lower)
    reference: list[object] = ["reference/index.md", *(f"reference/{name}.md" for name in names)]
    reference += [f"reference/{package}.md" for package in packages_with_names()[1:]]
    groups[next(reversed(groups))] += ["contributing.md", "changelog.md"]
    groups_of_pages: list[dict[str, object]] = [{group: list(pages)} for group, pages in groups.items()]
    return [
        {"Home": ["index.md", "pages.md"]},
        *groups_of_pages,
        {"Reference": reference},
        {"Notebook": ["notebook/README.md", *(f"notebook/{page}" for page in reversed(notebook))]},
    ]
