"""The verbs for questions of scale as strangers use them: each refusal is one line, and nothing is half-written."""

from __future__ import annotations

import pytest

from symcount import model
from symcount.cli import main
from symcount.readers.quantities import read

BIG = "9" * 5_000


def ask(capsys, *words):
    status = main(list(words))
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    pytest.importorskip("xarray", reason="sweeps need the extra 'sweep'")
    pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("words", "says"), [
    (["solve", "gpt2", "params <= 1e9", "--for", "L", "--set", "model=3"], "--set model: no size has this name"),
    (["cross", "gpt2", "flops", "macs", "--for", "s", "--set", "phase=3"], "--set phase: no size has this name"),
    (["plot", "gpt2", "-o", "a.png", "--by", "²"], "cannot draw to the depth '²'"),
    (["plot", "gpt2", "-o", "a.png", "--by", BIG], "cannot draw to the depth '9"),
    (["plot", "gpt2", "-o", "a.png", "--by", "0"], "cannot draw to the depth 0"),
    (["plot", "gpt2", "llama-7b", "-o", "a.png", "--by", "0"], "cannot group by 0"),
    (["plot", "gpt2", "llama-7b", "-o", "a.png", "--by", "name"], "--by takes a depth, kind or trainable"),
    (["plot", "gpt2", "-o", "a.png", "--for", "d=768,1536", "--without", "bias"], "plot with --for takes no --without"),
    (["plot", "gpt2", "-o", "a.png", "--for", "d=768,1536", "--by", "1"], "plot with --for takes no --by"),
    (["plot", "gpt2", "-o", "a.png", "--for", "d=768", "--frontier", "least:kv,most:params", "--without", "bias"],
     "plot with --frontier takes no --without"),
    (["plot", "llama-7b@head", "-o", "a.png", "--for", "d=100,128"], "heads = 32 does not divide d = 100"),
    (["plot", "gpt2", "-o", "a.png", "--for", "d=100,768", "--of", "params@embeddings"],
     "heads = 12 does not divide d = 100"),
    (["plot", "gpt2", "gpt2", "-o", "a.png", "--for", "s=8,16", "--of", "flops"], "is asked for twice"),
    (["sweep", "gpt2", "--for", "d=768", "--set", "d=12"], "d is in --for and in --set"),
    (["sweep", "gpt2", "--for", "d=768", "-o", "a.csv", "--format", "json"], "takes no --format"),
    (["sweep", "gpt2", "--for", "d=768", "-o", ".csv"], "a sweep is written as"),
    (["sweep", "gpt2", "--for", "d=768", "-o", "a.xlsx"], "a sweep is written as"),
    (["sweep", "gpt2", "--for", "d=768", "-o", "folder.d/table"], "No such file or directory"),
    (["sweep", "gpt2", "--for", "d=768", "-o", "\udcff.nc"], "cannot write"),
    (["sweep", "mamba2-130m", "--of", "flops", "--set", "s=8", "--for", "chunk=4,8", "--chunk", "1"],
     "chunk is swept here"),
    *((["sweep", "gpt2", "--for", "d=768", "--scheduler", one], "is no address of a scheduler") for one in (
        "tcp://localhost:0", "tcp://localhost:99999", "tcp://[::1:1", "tcp://:::8786", "tcp://a:b:1",
        "localhost:8786")),
    (["formula", "gpt2", "--without", "layers,embeddings,norm", "--share", "bias"], "nothing is counted"),
    (["formula", "gpt2:L=0", "--share", "layers", "--limit", "d"], "L = 0 leaves nothing of the leading terms"),
    (["formula", "gpt2:L=0", "--share", "embeddings", "--limit", "d"], "L = 0 leaves nothing of the leading terms"),
    (["formula", "gpt2:L=0", "--elasticity", "d", "--limit", "d", "--derive"], "L = 0 leaves nothing"),
])
def test_refused(capsys, tmp_path, words, says):
    status, out, err = ask(capsys, *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert says in err
    assert not [*tmp_path.iterdir()]


def test_what_follows_a_swept_size_is_not_asked_of_the_one_that_was_there(capsys):
    # 3 does not divide the d = 4,096 of llama-7b, but both of these
    status, out, _ = ask(capsys, "sweep", "llama-7b", "--for", "d=3072,6144,6145", "--set", "h=8d/3,heads=d/128")
    assert status == 0
    for d in (3072, 6144):
        assert f"{read(model('llama-7b', d=d, h=8 * d // 3, heads=d // 128), 'params').total:,}" in out
    assert "1 of 3 points cannot be built" in out
    assert ask(capsys, "plot", "llama-7b", "--for", "d=3072,6144", "--set", "h=8d/3,heads=d/128", "-o", "a.png")[0] == 0


def test_the_size_chunk_is_swept(capsys):
    status, out, _ = ask(capsys, "sweep", "mamba2-130m", "--of", "flops", "--set", "s=512", "--for", "chunk=64,128")
    assert status == 0
    for chunk in (64, 128):
        assert f"{read(model('mamba2-130m', s=512, chunk=chunk), 'flops').total:,}" in out


def test_a_limit_where_a_size_is_nothing_and_the_leading_terms_stay(capsys):
    # (Vd + Pd)/(Vd + Pd + 2d), of which V alone grows
    status, out, _ = ask(capsys, "formula", "gpt2:L=0", "--share", "embeddings", "--limit", "V")
    assert status == 0
    assert "as V grows" in out
    assert out.split("as V grows")[1].split("\n")[0].split() == ["1", "100.00", "%"]


def test_points_in_chunks_are_counted_once_they_are_there(capsys):
    pytest.importorskip("dask.array", reason="chunks need the extra 'sweep'")
    _, out, _ = ask(capsys, "sweep", "gpt2", "--for", "d=768,769,1536", "--chunk", "2")
    assert "gpt2 (GPT2LMHeadModel): 2 points" in out
    assert "skipped: 1 of 3 points cannot be built" in out


def test_too_many_rows_are_refused_before_they_are_counted(capsys, monkeypatch):
    monkeypatch.setattr("symcount.sweeping.fill", lambda *_, **__: pytest.fail("points were counted"))
    status, _, err = ask(capsys, "sweep", "gpt2", "--for", "d=1..20000,L=1..4000")
    assert status == 2
    assert "80,000,000 points are too many for a table" in err


def test_a_scheduler_that_does_not_answer_leaves_no_trace(capsys, monkeypatch):
    pytest.importorskip("distributed", reason="clusters need the extra 'sweep'")
    import dask

    monkeypatch.setattr("symcount.workers._PATIENCE", "0.5 s")
    before = dask.config.get("scheduler", None)
    for address in ("tcp://localhost:1", "tls://localhost:1"):
        status, _, err = ask(capsys, "sweep", "gpt2", "--for", "d=768", "--scheduler", address)
        assert (status, err.count("\n")) == (2, 1)
        assert f"no scheduler answers at {address}" in err
    assert dask.config.get("scheduler", None) == before
    assert ask(capsys, "sweep", "gpt2", "--for", "d=768", "--chunk", "1")[0] == 0


@pytest.mark.parametrize("target", ["a.csv", "a.JSON", "./b.d/a.csv", "table", "b.d/table", "a.txt"])
def test_suffixes_are_those_of_the_file(capsys, tmp_path, target):
    (tmp_path / "b.d").mkdir()
    assert ask(capsys, "sweep", "gpt2", "--for", "d=768", "-o", target)[0] == 0
    assert "124439808" in (tmp_path / target).read_text().replace(",", "")


def test_a_ratio_has_as_many_digits_as_tell_it_from_one(capsys):
    sizes = f"L={10**15},E={10**15},K=2,d={10**15},h={10**15},heads=1,kv=1,k=2"
    status, out, _ = ask(capsys, "compare", f"mixtral-8x7b:V=1,{sizes}", f"mixtral-8x7b:V=2,{sizes}")
    # 2·10^15 more of 3·10^60 and some: the ratio is 1 + 0.66…·10^-45, which rounds to 10^-45
    assert status == 0
    assert f"× 1.{'0' * 44}1, " in out
