# SPDX-License-Identifier: Apache-2.0
"""The documentation site, see scripts/site. Why Sphinx: decisions/0012-documentation-site.md."""
import os
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import tandem

DOCS = Path(__file__).resolve().parent

project = "Tandem"
author = copyright = "the Tandem authors"
release = re.search(r"project\(tandem VERSION ([0-9.]+)", (DOCS.parent / "CMakeLists.txt").read_text()).group(1)

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"Tandem {release}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
# required by documented modules, not by the site
autodoc_mock_imports = ["casadi", "gymnasium", "jax", "stable_baselines3", "torch"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings have shapes and units
python_maximum_signature_line_length = 100
napoleon_google_docstring = True
napoleon_numpy_docstring = True  # those of tandem.functions
napoleon_custom_sections = [("Returns", "params_style")]  # several results, each with a name

# the C++ reference, where scripts/site had Doxygen
if xml := os.environ.get("TANDEM_DOXYGEN_XML"):
    extensions.append("breathe")
    breathe_projects = {"tandem": xml}
    breathe_default_project = "tandem"
    breathe_default_members = ("members",)
else:
    exclude_patterns = ["api/cpp.rst"]

#: modules that are described as a whole; what tandem.types has stands where it is needed
modules = [name for name in tandem.__all__ if isinstance(getattr(tandem, name), ModuleType) and name != "types"]
described = (DOCS / "api" / "python.rst").read_text()
classes = {name for name in tandem.types.__all__ if isinstance(getattr(tandem.types, name), type)}
by_hand = {*tandem.__all__, *classes} - {*tandem.functions.__all__, *modules, "types"}
if missing := [name for name in sorted(by_hand) if not re.search(rf"\b{name}\b", described)]:
    raise ValueError(f"docs/api/python.rst leaves out {', '.join(missing)}")


def carry_pages_of_elsewhere(app, docname, source):
    """Markdown outside of docs is no page of the site: a link to it leads to the file, which is carried along."""
    folder = (DOCS / docname).parent

    def link(match):
        outside = not (folder / match[1]).resolve().is_relative_to(DOCS)
        return f"](path:{match[1]})" if outside else match[0]

    source[0] = re.sub(r"\]\((\.\./[^)#\s]*\.md)(?:#[^)\s]*)?\)", link, source[0])


def describe_modules(app, docname, source):
    """The reference of Python ends with the package's modules of functions, whatever they are."""
    if docname == "api/python":
        for name in modules:
            title = f"tandem.{name}"
            if f"automodule:: {title}\n" in source[0]:
                continue
            source[0] += f"\n{title}\n{'-' * len(title)}\n\n.. automodule:: {title}\n   :members:\n"


def describe_functions(app, docname, source):
    """Functions that the page does not place stand where a comment says so."""
    if docname != "api/python":
        return
    rest = [name for name in tandem.functions.__all__ if not re.search(rf"\b{name}\b", source[0])]
    kinds = {name: "class" if isinstance(getattr(tandem, name), type) else "function" for name in rest}
    listed = "\n".join(f".. auto{kinds[name]}:: {name}" for name in rest)
    source[0] = source[0].replace(".. the other functions", listed)


#: what the reference of C++ begins with
FIRST_CLASSES = ("Model", "ModelBuilder", "Workspace", "Array", "Simulation", "Plan", "Error", "ModelError")


def describe_classes(app, docname, source):
    """A list of what is in a namespace has no classes: they stand where a comment of the page says so."""
    if docname != "api/cpp":
        return
    compounds = ElementTree.parse(Path(os.environ["TANDEM_DOXYGEN_XML"]) / "index.xml").iter("compound")
    kinds = {entry.findtext("name").replace(" ", ""): entry.get("kind") for entry in compounds}

    def classes(comment):
        names = [name for name, kind in kinds.items()
                 if kind in ("class", "struct") and re.fullmatch(comment[1] + r"::\w+", name)]
        first = [f"tandem::{name}" for name in FIRST_CLASSES]
        names.sort(key=lambda name: (first.index(name) if name in first else len(first), name))
        return "\n".join(f".. doxygen{kinds[name]}:: {name}\n   :members:\n   :undoc-members:\n" for name in names)

    source[0] = re.sub(r"^\.\. the classes of ([\w:]+)$", classes, source[0], flags=re.MULTILINE)


def keep_sentences(app, what, name, obj, options, lines):
    """The first words about a value are no type, whatever colon follows them."""
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]  # an empty comment


def setup(app):
    app.connect("source-read", carry_pages_of_elsewhere)
    app.connect("source-read", describe_modules)
    app.connect("source-read", describe_functions)
    app.connect("source-read", describe_classes)
    app.connect("autodoc-process-docstring", keep_sentences, priority=400)  # before Napoleon
