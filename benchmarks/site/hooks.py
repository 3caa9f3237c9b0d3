"""Hooks of mkdocs (``mkdocs.yml``): pages from outside ``docs``, the reference, navigation, links."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from pymdownx.slugs import slugify

from benchmarks.site import check, sources
from hedgehog.runtime.packages import ROOT

SHIM: Final = "https://unpkg.com/iframe-worker/shim"
WORKER: Final = "assets/javascripts/worker.js"


def on_config(config: Any) -> Any:
    """Sets the navigation, and gives headings the anchors that they have where the repository is hosted."""
    config.nav = sources.navigation()
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages that have no file in ``docs``."""
    from mkdocs.structure.files import File

    texts = {f"docs/{file.src_uri}": file.content_string for file in files.documentation_pages()}
    texts |= {name: (ROOT / name).read_text(encoding="utf-8") for name in sources.RENAMED}
    files.remove(files.get_file_from_path("README.md"))
    pages = {name: sources.with_site_links(path, texts[path]) for path, name in sources.RENAMED.items()}
    pages |= sources.reference_pages()
    hidden = {f"source/{name}.md": sources.source_page(name) for name in sources.source_files(texts)}
    no_search = "---\nsearch:\n  exclude: true\nhide: [toc]\n---\n"
    for name, text in (pages | {name: no_search + text for name, text in hidden.items()}).items():
        files.append(File.generated(config, name, content=text))
    script = Path(__file__).with_name("worker.js").read_text(encoding="utf-8")
    files.append(File.generated(config, WORKER, content=script))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Changes links of the pages in ``docs`` to files elsewhere."""
    here = page.file
    return markdown if here.generated_by else sources.with_site_links(f"docs/{here.src_uri}", markdown)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Loads our own script in place of the one from elsewhere that the theme's search in files needs."""
    from mkdocs.utils import get_relative_url

    return output.replace(SHIM, get_relative_url(WORKER, page.url))


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """Does the same for pages without Markdown, such as that of a missing page."""
    return output_content.replace(SHIM, WORKER)


def on_post_build(config: Any) -> None:
    """Refuses a site with dead links, or one that loads anything from elsewhere."""
    from mkdocs.exceptions import PluginError

    if found := list(check.faults(Path(config.site_dir))):
        raise PluginError("\n".join([f"{len(found)} faults", *found[:20]]))
