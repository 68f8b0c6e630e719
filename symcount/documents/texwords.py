"""What LaTeX's commands and environments do with their arguments, by name."""

from __future__ import annotations

from symcount.documents.inline import words

# How many arguments of a command are not read; those that follow are
HIDDEN = {name: count for count, names in {
    1: "label ref eqref autoref cref Cref pageref nameref url nolinkurl path includegraphics includesvg usepackage "
       "RequirePackage documentclass input include includeonly bibliography bibliographystyle addbibresource bibitem "
       "hspace vspace hskip color pagecolor href hypersetup graphicspath thispagestyle pagestyle pagenumbering "
       "selectlanguage cline cmidrule hyperlink hypertarget phantom hphantom vphantom captionsetup lstset "
       "usetikzlibrary theoremstyle nocite textcolor colorbox cellcolor rowcolor scalebox rotatebox raisebox parbox "
       "index tag todo stepcounter refstepcounter arraystretch foreignlanguage fontfamily fontseries fontshape "
       "cite citep citet citealp citealt citeauthor citeyear citeyearpar parencite textcite autocite footcite",
    2: "setlength addtolength setcounter addtocounter rule resizebox multirow multicolumn fontsize fcolorbox "
       "addcontentsline newtheorem",
    3: "definecolor",
}.items() for name in names.split()}
DEFINING = words("newcommand renewcommand providecommand DeclareMathOperator DeclareRobustCommand def edef gdef let "
                 "newenvironment renewenvironment")
CALCULATING = words("frac dfrac tfrac sqrt binom")  # outside of formulas, too, these are no text
SHOWN = words("footnote footnotetext thanks marginpar")  # these read as if in parentheses

# Commands without arguments that only lay out
SILENT = words(
    "bf it sl sc rm sf tt em bfseries itshape slshape scshape upshape mdseries rmfamily sffamily ttfamily "
    "normalfont tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge centering raggedright "
    "raggedleft noindent indent quad qquad hfill vfill hline toprule midrule bottomrule endhead endfirsthead "
    "endfoot endlastfoot newline linebreak pagebreak newpage clearpage cleardoublepage maketitle tableofcontents "
    "listoffigures listoftables appendix bigskip medskip smallskip protect relax null leavevmode allowbreak "
    "nobreak sloppy par limits displaystyle textstyle frontmatter mainmatter backmatter and thinspace enspace "
    "enskip xspace footnotemark strut ignorespaces unskip twocolumn onecolumn onehalfspacing singlespacing "
    "doublespacing arraybackslash hrulefill dotfill")

# Environments: of code, of what is not read, of rows, with how many arguments that lay out
CODE = {"verbatim": 0, "verbatim*": 0, "Verbatim": 0, "lstlisting": 0, "minted": 1, "alltt": 0}
HIDING = words("comment tikzpicture thebibliography filecontents filecontents* pgfpicture axis CCSXML")
ROWS = {"tabular": 1, "tabularx": 2, "tabular*": 2, "tabulary": 2, "longtable": 1, "array": 1, "supertabular": 1,
        "tblr": 1, "xltabular": 2}
LAYOUT = {"minipage": 1, "multicols": 1, "wrapfigure": 2, "wraptable": 2, "adjustbox": 1, "spacing": 1, "subfigure": 1,
          "subtable": 1, "column": 1, "tcolorbox": 0, "list": 2, "adjustwidth": 2}

# Units of siunitx, as people write them without it
UNITS = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E", "zetta": "Z", "milli": "m",
         "micro": "µ", "nano": "n", "kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti", "pebi": "Pi",
         "byte": "B", "bit": "bit", "second": "s", "hour": "h", "day": "d", "watt": "W", "hertz": "Hz", "meter": "m",
         "metre": "m", "gram": "g", "joule": "J", "percent": "%", "per": "/", "flop": "FLOP", "flops": "FLOPs",
         "minute": "min", "volt": "V", "kelvin": "K"}
