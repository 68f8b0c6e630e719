"""HTML, LaTeX and PDF of executed notebooks, by nbconvert with the templates beside this file."""

from __future__ import annotations

import html as escaping
import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from complaints import complaints
from executing import lines
from refusals import TEX, MissingError, WrongError
from symcount.render.latex import SIGNS as WITHIN_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LAYOUTS = Path(__file__).resolve().parent / "layouts"
MATHJAX = "tex-svg-full.js"  # one file that has all of TeX, and so never asks for another
SECONDS = 300  # that pandoc or XeLaTeX may take
PANDOC = "commonmark+smart+tex_math_dollars+pipe_tables"  # what a notebook's prose is read as, wherever it is shown
# Signs that a text font may lack, as mathematics
SIGNS = {**WITHIN_WORDS, "⇒": r"\Rightarrow", "≠": r"\ne", "∞": r"\infty", "∈": r"\in", "Σ": r"\Sigma",
         "⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor"}
_WIDTH, _NARROW = 96, 20  # characters of a table that fit into a line; those of a column that is not broken
_SIZES = ((98, r"\footnotesize"), (110, r"\scriptsize"))  # of letters, in which so many fit into a line
_HEADING = re.compile(r"\A# (.+)\n*")
_TABLE = re.compile(r"\\begin\{longtable\}\[\]\{@\{\}([lrc]+)@\{\}\}(.*?)\\end\{longtable\}", re.DOTALL)
_AMPERSAND = re.compile(r"(?<!\\)&")
_COMMAND = re.compile(r"\\(?:toprule|midrule|endhead|bottomrule|[()])|\\[a-zA-Z]+\s*|[{}]|(?<=\s)\s+")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def html(sources: list[Path], folder: Path) -> list[Path]:
    """A page for each notebook, MathJax beside them, and an index."""
    exporter = _exporter("HTMLExporter", "pages")
    mathjax, target = _mathjax(), _made(folder / "html")
    style = (LAYOUTS / "pages" / "page.css").read_text(encoding="utf-8") + _highlighting()
    pages = [(source.stem, title(source)) for source in sources]
    made = []
    for before, source, page, after in zip([None, *pages], sources, pages, [*pages[1:], None], strict=False):
        text, _ = exporter.from_notebook_node(notebook(source, sources, ".html"), {"page": {
            "title": page[1], "style": style, "before": before, "after": after}})
        made.append(target / f"{source.stem}.html")
        made[-1].write_text(text, encoding="utf-8")
    shutil.copyfile(mathjax, target / MATHJAX)
    items = "\n".join(f'<li><a href="{name}.html">{escaping.escape(shown)}</a></li>' for name, shown in pages)
    made.append(target / "index.html")
    made[-1].write_text((LAYOUTS / "pages" / "contents.html").read_text(encoding="utf-8").replace(
        "STYLE", style).replace("ITEMS", items), encoding="utf-8")
    return made


def latex(sources: list[Path], folder: Path) -> list[Path]:
    """A document of its own for each notebook, which XeLaTeX compiles."""
    exporter = _exporter("LatexExporter", "papers")
    target = _made(folder / "latex")
    if not shutil.which("pandoc"):
        raise MissingError("LaTeX of notebooks needs pandoc: apt-get install pandoc, or pip install pypandoc_binary")
    exporter.register_filter("typeset", typeset)
    exporter.register_filter("fitting", fitting)
    exporter.register_filter("led", led)
    made = []
    for source in sources:
        read = notebook(source, sources, ".pdf")
        read.cells[0].source = _HEADING.sub("", read.cells[0].source)  # the document has its own place for the title
        text, beside = exporter.from_notebook_node(read, {"page": {
            "title": typeset(title(source)).strip(), "signs": SIGNS}, "unique_key": source.stem})
        for name, picture in beside.get("outputs", {}).items():
            (target / name).write_bytes(picture)
        made.append(target / f"{source.stem}.tex")
        made[-1].write_text(text, encoding="utf-8")
    return made


def pdf(sources: list[Path], folder: Path) -> list[Path]:
    """Each notebook compiled by XeLaTeX. Raises WrongError for all that would not be read well: see `complaints`."""
    if not shutil.which("xelatex"):
        raise MissingError(f"PDF needs XeLaTeX: apt-get install --no-install-recommends {TEX}")
    target = _made(folder / "pdf")
    documents = latex(sources, folder)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [one for some in pool.map(lambda document: _compiled(document, target), documents) for one in some]
    if found:
        raise WrongError("\n".join(found))
    return [target / f"{document.stem}.pdf" for document in documents]


def _compiled(document: Path, target: Path) -> list[str]:
    """Compiles a document into a folder; what is wrong with it."""
    # The same document makes the same file; messages are not broken into lines of 79.
    settings = {**os.environ, "SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "max_print_line": "9999"}
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(3):
            subprocess.run(["xelatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error",
                            "-file-line-error", f"-output-directory={scratch}", document.name],
                           cwd=document.parent, env=settings,
                           capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS, check=False)
            log = (Path(scratch) / f"{document.stem}.log").read_text(encoding="utf-8", errors="replace")
            if "Rerun" not in log:
                break
        made = Path(scratch) / f"{document.stem}.pdf"
        if made.exists():
            shutil.copyfile(made, target / made.name)
    return complaints(log, document.read_text(encoding="utf-8"), document.name)


def notebook(source: Path, together: list[Path], suffix: str) -> Any:
    """The executed notebook beside a source; each cell has its place in the source.

    Links to notebooks that are converted together lead to what is made of them, of others the words remain.
    Raises WrongError where the notebook is missing, or is not of this source.
    """
    import nbformat

    stored = source.with_suffix(".ipynb")
    again = f"python docs/build.py notebooks {source.stem}"
    if not stored.exists():
        raise WrongError(f"{source}: it was not executed yet: {again}")
    read = nbformat.read(stored, as_version=4)
    begins = lines(read, source.read_text(encoding="utf-8"))
    names = {one.stem for one in together}

    def led(link: re.Match[str]) -> str:
        words, where = link.groups()
        stem, kind = os.path.splitext(where)
        if ":" in where or where.startswith("#"):
            return link[0]
        return f"[{words}]({stem}{suffix})" if stem in names and kind in (".md", ".ipynb") else words
    for cell, line in zip(read.cells, begins, strict=True):
        if not line:
            raise WrongError(f"{stored}: a cell does not stand in {source.name}: {again}")
        cell.metadata.place = f"{os.path.relpath(source)}:{line}"
        if cell.cell_type == "markdown":
            cell.source = _LINK.sub(led, cell.source)
    return read


def title(source: Path) -> str:
    """The heading with which a source begins. Raises WrongError where it has none."""
    _, _, prose = source.read_text(encoding="utf-8").partition("\n---\n")
    heading = _HEADING.match(prose.lstrip("\n"))
    if not heading:
        raise WrongError(f"{source}: it does not begin with a title, as '# Counting a layer'")
    return heading[1]


def typeset(prose: str) -> str:
    """Markdown as LaTeX."""
    done = subprocess.run(["pandoc", "-f", PANDOC, "-t", "latex", "--shift-heading-level-by=-1", "--columns=120"],
                          input=prose, capture_output=True, text=True, encoding="utf-8", timeout=SECONDS, check=False)
    if done.returncode:
        raise WrongError(f"pandoc: {done.stderr.strip()}")
    return _TABLE.sub(_broken, done.stdout)


def _broken(table: re.Match[str]) -> str:
    """The table, its columns of words broken into lines where it is wider than a page."""
    columns, body = table.groups()
    cells = [_AMPERSAND.split(row) for row in body.split(r"\\")]
    wide = [max(len(_COMMAND.sub("x", row[i]).strip()) for row in cells if len(row) > i) for i in range(len(columns))]
    room = _WIDTH - 2 * len(columns)
    words = {i for i, column in enumerate(columns) if column == "l" and wide[i] > _NARROW}
    if sum(wide) <= room or not words:
        return table[0]
    rest, all_words = room - sum(wide[i] for i in range(len(columns)) if i not in words), sum(wide[i] for i in words)
    shown = "".join(rf">{{\raggedright\arraybackslash}}p{{{rest * wide[i] / all_words / _WIDTH:.3f}\linewidth}}"
                    if i in words else column for i, column in enumerate(columns))
    return table[0].replace(f"@{{}}{columns}@{{}}", f"@{{}}{shown}@{{}}", 1)


def led(displays: str) -> str:
    """Displays of which the first, as a rule their title, stays on the page of the second."""
    first, between, rest = displays.partition("$$\n\n")
    return rf"\postdisplaypenalty=10000 {first}{between}\postdisplaypenalty=0 {rest}"


def fitting(text: str) -> str:
    r"""The size of letters in which the longest line fits.

    >>> fitting("x" * 60), fitting("short\n" + "x" * 100)
    ('\\footnotesize', '\\scriptsize')
    """
    longest = max(map(len, text.splitlines()), default=0)
    return next((size for most, size in _SIZES if longest <= most), _SIZES[-1][1])


def _exporter(kind: str, template: str) -> Any:
    try:
        import nbconvert
    except ImportError:
        raise MissingError("converting notebooks needs nbconvert: pip install -e '.[notebooks]'") from None
    return getattr(nbconvert, kind)(template_name=template, extra_template_basedirs=[str(LAYOUTS)])


def _mathjax() -> Path:
    """The file of MathJax that the package brings."""
    package = find_spec("sphinx-mathjax-offline")
    if package is None:
        raise MissingError("pages need a MathJax of their own: pip install -e '.[notebooks]' (sphinx-mathjax-offline)")
    return Path(package.submodule_search_locations[0]) / "static" / "mathjax" / MATHJAX


def _highlighting() -> str:
    """Colours of code, for light and for dark."""
    from pygments.formatters import HtmlFormatter

    light, dark = (HtmlFormatter(style=style).get_style_defs(".highlight") for style in ("friendly", "github-dark"))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n.highlight {{ background: none }}\n"


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
