"""An architecture is a forward pass and how its configuration is read; a model is one with values.

    architecture + values  ->  network over letters, ints or SymPy symbols  ->  ledgers

What a configuration leaves out follows a formula (k = d/heads), evaluated over the same numbers.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.errors import FormulaError, ModelError, ShapeError, SizeError, nearest
from symcount.forms import written
from symcount.formulas import read
from symcount.given import RUN, WIDTHS, adapters_of, shown, spelled, stages_of, whole, whole_for, widths_of
from symcount.network import weights
from symcount.polynomials import Polynomial, letter
from symcount.readers.roles import turn
from symcount.render import text
from symcount.scopes import acts, adapters, matches
from symcount.sizes import from_sympy, letters, value
from symcount.substitution import substitute
from symcount.symbols import known, row
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from symcount.polynomials import Size

    # {path, or paths stored as one: name, or (name, dimensions), or {class: such a table}}
    Names = Mapping[Any, Any]
    Composed = Callable[[Mapping[str, Any]], tuple["Architecture", dict[str, Any]]]

# cls: the class it was counted as; sizes: {size or flag: value}; count: parameters; source: who says so
Published = namedtuple("Published", "cls sizes count source")
ACTS = {"hidden_act": ("", "")}  # how most families are told their activation


class Architecture:
    """A forward pass for each class, the sizes it takes, and how a `config.json` gives them.

    classes    {class name: forward(z) -> Tensor}, the base model first
    keys       {configuration key: (size or flag, the class default, None where the size then follows)}
    reads      {key: class default} of keys that give no size alone; a key within a table is "ffn_config.moe_top_k"
    settle     settle(configuration) -> {size or flag: value, None where it then follows}: what several keys say
               together; the configuration it is given has every key of `keys` and `reads`
    sizes      letters that no key gives, as one string; with no keys either, a forward pass of the user's own: any
    flags      {flag: default} that no key gives: True, False, a text or None
    follows    {size: formula} for those that may be left out: {"k": "d/heads"}
    aliases    {other spelling: key};  ignored  {key: reason};  only  {key: (the supported values, why)}
    acts       {key, "" where none says it: (the activation that is the class default, or "" as the layers have it;
               the paths of what it is the activation of, or "" for all)}; `settle` may give "acts" as {path: kind}
    same       {key that nothing reads: key that it repeats}, which it must not contradict
    published  {name: Published}
    stored     {our path: name in a checkpoint}, of the base model: several paths that are stored as one are a tuple;
               (name, dimensions) where it is not stored [out, in], with * for all of ours;
    stored_heads  the same for what heads add
    hides      {key: texts of its values}: keys that limit which tokens some layers see, where the forward pass does not
               say which layers, and with which values they limit nothing; without any, some layer always has a limit
    buffers    why it is not written which buffers a checkpoint holds, where it is not
    composed   composed(configuration) -> (architecture, configuration) of a family whose towers are read from tables of
               their own: that of the towers which the tables name; None of all others
    unwritten  elementwise operations that the forward pass leaves out: what they keep and move is not known
    gradients  why it is not written which operations have a gradient, where some run without one
    unmasked   why the masks of the forward pass do not say which pairs of tokens meet, where they do not
    base       what comes before the names of the base model in a class with a head; {class: …} where they differ
    """

    __slots__ = ("acts", "aliases", "base", "buffers", "classes", "composed", "flags", "follows", "gradients", "hides",
                 "ignored", "keys", "name", "only", "published", "reads", "same", "settle", "sizes", "stages", "stored",
                 "stored_heads", "unmasked", "unwritten")

    def __init__(self, name: str, *, classes: Mapping[str, Callable[[Any], Any]], sizes: str = "",
                 follows: Mapping[str, str] | None = None, flags: Mapping[str, Any] | None = None,
                 keys: Mapping[str, tuple[str, Any]] | None = None, reads: Mapping[str, Any] | None = None,
                 settle: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
                 aliases: Mapping[str, str] | None = None, ignored: Mapping[str, str] | None = None,
                 only: Mapping[str, tuple[tuple[Any, ...], str]] | None = None, same: Mapping[str, str] | None = None,
                 acts: Mapping[str, tuple[str, str]] = ACTS,
                 published: Mapping[str, Published] | None = None, stored: Names | None = None,
                 stored_heads: Names | None = None, base: str | Mapping[str, str] = "", buffers: str = "",
                 unwritten: str = "", unmasked: str = "", gradients: str = "", composed: Composed | None = None,
                 hides: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.name, self.classes = name, dict(classes)
        self.keys, self.aliases = dict(keys or {}), dict(aliases or {})
        self.reads, self.settle = dict(reads or {}), settle
        told = dict(self.keys.values())
        self.flags = {**{n: default for n, default in told.items() if isinstance(default, bool)}, **(flags or {})}
        self.sizes = (*sizes.split(), *(n for n in told if n not in self.flags))
        sees_all = {"window": "t"} if "window" in self.sizes else {}  # a window that nobody gives is none
        self.follows = {**sees_all, **(follows or {})}
        self.ignored, self.only, self.same = dict(ignored or {}), dict(only or {}), dict(same or {})
        self.acts, self.hides, self.unwritten = dict(acts), dict(hides or {}), unwritten
        self.unmasked, self.gradients = unmasked, gradients
        self.composed = composed
        self.published, self.buffers = dict(published or {}), buffers
        self.stored, self.stored_heads, self.base = dict(stored or {}), dict(stored_heads or {}), base
        # sizes with one number for each stage, L_0, L_1, …, and how many stages there are unless told otherwise
        self.stages = {name: len(size) for entry in self.published.values() for name, size in entry.sizes.items()
                       if isinstance(size, tuple)}

    @property
    def known(self) -> list[str]:
        """Every size and flag that it has, of the model and of a run."""
        return list(dict.fromkeys((*self.sizes, *self.follows, *self.flags, *RUN)))

    @property
    def own(self) -> bool:
        """Whether it is a forward pass of the user's own, for which any letter is a size."""
        return not self.sizes

    def knows(self, name: str) -> bool:
        """Whether it has this size or flag."""
        return self.own or name in self.known


class Sizes:
    """The namespace `z` that a forward pass reads: sizes over some numbers, and flags."""

    __slots__ = ("_found", "_model", "_open", "_ring")
    among: tuple[Tensor, ...] = ()  # as of a `Tower`, whose model has others beside it
    early = False

    def __init__(self, model: Model, ring: Callable[[str], Size]) -> None:
        self._model, self._ring = model, ring
        self._found: dict[str, Any] = {}  # what was read, and so need not be resolved again
        self._open: list[str] = []  # what is being resolved, to refuse h = 4d, d = h/4

    def __getattr__(self, name: str) -> Any:
        if name not in self._found:
            self._found[name] = self._read(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        """The names that were read; no method has a plain name, which would hide a flag of that name."""
        return iter(self._found)

    def _read(self, name: str) -> Any:
        given, architecture = self._model.given, self._model.architecture
        if name in given:
            found = given[name]
            if isinstance(found, Polynomial):
                return self._ring(name) if _free(name, found) else self._resolve(name, found)
            if isinstance(found, tuple):
                return tuple(self._ring(f"{name}_{i}") for i in range(len(found)))
            return found if found is None or isinstance(found, (bool, str)) else self._ring(name)
        if name in architecture.flags:
            return architecture.flags[name]
        follows = architecture.follows.get(name) or RUN.get(name)
        if follows:
            return self._resolve(name, follows)
        if name in architecture.stages:
            return tuple(self._ring(f"{name}_{i}") for i in range(architecture.stages[name]))
        if name in architecture.sizes or name in RUN or (architecture.own and known(name)):
            if name == WIDTHS:
                raise SizeError(f"{architecture.name}: the widths are missing, as in {architecture.name}:784-128-10")
            return self._ring(name)
        raise SizeError(f"{architecture.name}: the forward pass reads z.{name}, which is neither given nor a letter; "
                        + nearest(name, architecture.known))

    def _resolve(self, name: str, formula: str | Polynomial) -> Size:
        if name in self._open:
            raise SizeError(f"{name} = {formula} refers to itself ({' -> '.join([*self._open, name])}); "
                            "in a change, x is the present value: 2x")
        self._open.append(name)
        try:
            size = (substitute(formula, self.__getattr__) if isinstance(formula, Polynomial)
                    else read(formula, self._named))
        except FormulaError as error:
            raise SizeError(f"{self._model.name}: {name} = {formula}: {error}") from None
        else:
            return whole_for(size)
        finally:
            self._open.pop()

    def _named(self, name: str) -> Size | None:
        return self.__getattr__(name) if self._model.architecture.knows(name) and known(name) else None


class Model:
    """An architecture with values: some sizes are numbers, some formulas in others, the rest letters.

    `values` are the numbers of all sizes that have one; `keys` are rows (key, value, how it was read) of its
    configuration; `replace` and `part` return another model.
    """

    __slots__ = ("_asked", "_network", "_told", "architecture", "cls", "given", "keys", "name", "parts", "published",
                 "values")

    def __init__(self, architecture: Architecture, given: Mapping[str, Any], *, name: str = "", cls: str = "",
                 published: Published | None = None, parts: tuple[str, ...] = (),
                 keys: tuple[tuple[str, ...], ...] = (), told: frozenset[str] = frozenset()) -> None:
        self.architecture, self.given = architecture, dict(given)
        self._told = told  # what was changed by name, and so must be read
        self.name = name or architecture.name
        self.cls = cls or next(iter(architecture.classes))
        self.published, self.parts, self.keys = published, parts, keys
        self._asked: set[str] | None = None
        self._network: Any = None  # over letters: several ledgers are read off one
        if self.cls not in architecture.classes:
            raise ModelError(f"{self.name} has no class '{self.cls}'; {nearest(self.cls, list(architecture.classes))}")
        self.values = self._numbers()

    @property
    def title(self) -> str:
        """Name and class, as answers print it."""
        shown = self.name if self.cls == self.architecture.name else f"{self.name} ({self.cls})"
        return "@".join([shown, *self.parts])

    @property
    def asked(self) -> set[str]:
        """The sizes and flags that the forward pass of this class reads."""
        if self._asked is None:
            self.network()
        return self._asked or set()

    @property
    def conventions(self) -> tuple[str, ...]:
        """What an answer must say: the flags and formulas that the class reads, and the class defaults it took."""
        flags = [f"{name}={shown(self.given.get(name, default))}" for name, default in self.architecture.flags.items()
                 if name in self.asked]
        ties = [f"{name} = {formula}" for name, formula in self.architecture.follows.items()
                if name not in self.given and name in self.asked]
        values = {name: f" = {number:,}" for name, number in self.values.items()}
        ties += [f"{name} = {text.form(written(formula))}{values.get(name, '')}" for name, formula in self.given.items()
                 if isinstance(formula, Polynomial) and not _free(name, formula)]
        absent = {key: self.architecture.keys[key] for key, value, _ in self.keys
                  if value == "absent" and key in self.architecture.keys}
        taken = [f"{key}={shown(default)}" for key, (size, default) in absent.items()
                 if default is not None and size in self.asked]
        said = (", ".join(flags), ", ".join(ties), "defaults taken: " + ", ".join(taken) if taken else "")
        return tuple(filter(None, said))

    @property
    def acts(self) -> dict[str, str]:
        """{path, "" everywhere: the activation there}, as the configuration or the class says; later ones win."""
        given = self.given.get("acts", {})
        if isinstance(given, str):
            return {"": given}
        told = {path: given.get(path, kind) for kind, path in self.architecture.acts.values()}
        return {path: kind for path, kind in {**told, **given}.items() if kind}

    def network(self, ring: Callable[[str], Size] = letter) -> Any:
        """The forward pass over letters; over ints with `ring=model.number`; over SymPy with `symbols.symbol`."""
        if ring is letter and self._network is not None:
            return self._network
        z = Sizes(self, ring)
        names = self.given.get("lora") or ()
        tokens = (adapters.set((names, z.r if names else 1)), acts.set(tuple(self.acts.items())))
        try:
            net = self.architecture.classes[self.cls](z)
        except ModelError as error:
            known = self.architecture.own or str(error).startswith(self.name)  # a file of the user's says where
            raise ModelError(str(error) if known else f"{self.name}: {error}") from None
        finally:
            adapters.reset(tokens[0])
            acts.reset(tokens[1])
        self._asked = set(z)
        for result in net if isinstance(net, tuple) else (net,):
            if not isinstance(result, Tensor):
                raise ShapeError(f"{self.name}: the forward pass returned {type(result).__name__}, not a Tensor; "
                                 "did it forget to return?")
        turn(net, self.architecture.stored)
        own = self.architecture.own
        unread = [name for name in self.given if name not in (*self._asked, *RUN, "u", "lora", "acts")
                  and (own or (name in self._told and name not in self.architecture.flags))]
        if unread:
            raise ModelError(f"{self.name}: the forward pass never reads z.{unread[0]}" if own else
                             f"{self.title}: {unread[0]} would change nothing: this class does not read it"
                             " with these flags")
        made = [path for path, (x, *_) in weights(net).items() if "adapter" in x.details["kinds"]] if names else []
        for name in names:
            if not any(matches(path, name) for path in made):
                maps = {path.split(".")[-2] for path, (x, *_) in weights(net).items() if path.endswith(".weight")
                        and x.details["out"]}
                raise ModelError(f"{self.name}: lora: no linear map is named '{name}'; {nearest(name, maps)}")
        self._network = net if ring is letter else self._network
        return net

    def number(self, name: str) -> Size:
        """The value of a letter, or the letter where it has none."""
        return self.values[name] if name in self.values else letter(name)

    def replace(self, **changes: Any) -> Model:
        """Another model with these sizes, flags or `head` (class); what was left out follows anew.

        A size is an int, a text (`"4d"`, `"2x"` with x the present value, `"up(8d/3, 256)"`) or a SymPy expression.
        Raises SizeError for what no size can be, ModelError for a name the architecture has not.
        """
        head = changes.pop("head", None)
        lora = changes.pop("lora", None)
        given = {**self.given, **(adapters_of(lora) if lora else {}),
                 **{name: self._changed(name, change) for name, change in changes.items()}}
        kept = self.published if not changes and not lora and head in (None, self.cls) else None
        named = {**changes, "lora": lora} if lora else changes
        return Model(self.architecture, given, name=spelled(self.name, named), cls=head or self.cls,
                     published=kept, parts=self.parts, keys=self.keys, told=self._told | changes.keys())

    def freed(self, *names: str) -> Model:
        """The same model, under the same name, with these sizes left as letters."""
        given = {**self.given, **{name: self._changed(name, name) for name in names}}
        return Model(self.architecture, given, name=self.name, cls=self.cls, parts=self.parts, keys=self.keys,
                     told=self._told.union(names))

    def part(self, path: str) -> Model:
        """The same model, of which only the part at this path is counted."""
        return Model(self.architecture, self.given, name=self.name, cls=self.cls, published=self.published,
                     parts=(*self.parts, path), keys=self.keys, told=self._told)

    def whole(self) -> Model:
        """The same model, of which all is counted."""
        return Model(self.architecture, self.given, name=self.name, cls=self.cls, published=self.published,
                     keys=self.keys, told=self._told) if self.parts else self

    def __repr__(self) -> str:
        return f"<Model {self.title}>"

    def _changed(self, name: str, change: Any) -> Any:
        architecture = self.architecture
        if not architecture.knows(name):
            key = architecture.keys.get(architecture.aliases.get(name, name))
            hint = f"that key is {key[0]} here" if key else nearest(name, architecture.known)
            raise ModelError(f"{architecture.name} has no size or flag '{name}'; {hint}")
        flag = name in architecture.flags or (architecture.own and not known(name))
        if flag:
            words = {"true": True, "yes": True, "false": False, "no": False, "none": None}
            change = words.get(change, change) if isinstance(change, str) else change
            wanted = architecture.flags.get(name)
            if architecture.own and isinstance(change, str) and change[:1].isdigit():
                raise ModelError(f"{name} = {change}: '{name}' is no letter of the table, so it is no size; "
                                 "symcount explain LETTER tells of one")
            if isinstance(wanted, bool) and not isinstance(change, bool):
                raise ModelError(f"{architecture.name}: {name} = {change!r}: true or false is needed")
            return change
        if name == WIDTHS and name in (*architecture.sizes, *self.given):
            return widths_of(architecture.name, change)
        if name in architecture.stages:
            number = len(self.given.get(name, ())) or architecture.stages[name]
            return stages_of(architecture.name, name, change, number)
        if isinstance(change, str):
            change = read(change, lambda word: self._word(name, word))
        elif not isinstance(change, (int, float, Polynomial)) and hasattr(change, "free_symbols"):
            change = from_sympy(change)
        if isinstance(change, Polynomial):
            for word in letters(change):
                if not architecture.knows(word):
                    raise ModelError(f"{architecture.name} has no size '{word}' that {name} could follow")
            if all(coefficient < 0 for _, coefficient in change.terms.values()):
                raise SizeError(f"{name} = {change} is less than nothing: {row(name).meaning} is a whole number")
            if not letters(change):
                raise SizeError(f"{name} = {change}: {row(name).meaning} is a whole number")
            return change
        return whole(name, change)

    def _word(self, name: str, word: str) -> Size | None:
        """What a word of a change stands for: x is the present value, other sizes are letters."""
        if word != "x":
            return letter(word) if known(word) and self.architecture.knows(word) else None
        if name in self.values:
            return self.values[name]
        raise SizeError(f"{name} has no present value that x could be")

    def _numbers(self) -> dict[str, int]:
        """Every size that has a number; SizeError, with its formula, where one cannot be."""
        numbers: dict[str, int] = {}
        for name, given in self.given.items():
            if isinstance(given, tuple) and known(name):
                numbers.update((f"{name}_{i}", width) for i, width in enumerate(given))
            elif isinstance(given, int) and not isinstance(given, bool):
                numbers[name] = given
        if "b" not in self.given:  # one that was left as a letter stays one
            numbers["b"] = 1
        z = Sizes(self, lambda name: numbers[name] if name in numbers else letter(name))
        for name in (*self.architecture.sizes, *self.architecture.follows, *RUN, *self.given):
            stages = name in self.architecture.stages or isinstance(self.given.get(name), tuple)
            if name in numbers or name == WIDTHS or stages or not known(name):
                continue
            found = getattr(z, name)
            if found is None or letters(found):
                continue
            try:
                numbers[name] = whole(name, value(found, {}))
            except SizeError:
                formula = self.given[name] if name in self.given else self.architecture.follows.get(name, RUN.get(name))
                of = ", ".join(f"{word} = {numbers[word]:,}" for word in _words(formula) if word in numbers)
                raise SizeError(f"{self.name}: {name} = {formula} is not a whole number of at least {row(name).least} "
                                f"for {of}") from None
        return numbers


def _words(formula: Any) -> list[str]:
    return letters(formula) if isinstance(formula, Polynomial) else letters(read(formula)) if formula else []


def _free(name: str, size: Polynomial) -> bool:
    """Whether a size was left free: it is its own letter."""
    return str(size) == name
