"""The one table of letters: what each means, how LaTeX writes it, how other authors write it.

A letter is a size: a positive integer (`least` is 0 where none is a sensible number). A letter may
carry an index, `n_0`, `h_12`. Reading `symbols.d` makes the SymPy symbol on first use; nothing else
here needs SymPy.

Source: the papers and configuration files of the published models; one row a letter.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.errors import FormulaError, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Row = namedtuple("Row", "name meaning latex least others")

_ROWS = (
    # letter       meaning                                LaTeX                        least  other authors
    ("d", "model width", "d", 1, "d_model, n_embd, Megatron h"),
    ("h", "feed-forward width", "h", 1, "d_ff, F"),
    ("L", "layers", "L", 0, "n_layer, l"),
    ("V", "vocabulary", "V", 1, "n_vocab, v"),
    ("heads", "query heads", r"n_{\mathrm{heads}}", 1, "a, H, n"),
    ("kv", "key-value heads", r"n_{\mathrm{kv}}", 1, "G, n_kv"),
    ("k", "head width", "k", 1, "d_head, Q, p"),
    ("s", "tokens processed", "s", 1, "T, n_ctx"),
    ("t", "tokens attended", "t", 1, "S"),
    ("u", "target tokens", "u", 1, ""),
    ("b", "batch", "b", 1, "B"),
    ("new", "tokens generated", r"n_{\mathrm{new}}", 1, ""),
    ("P", "positions", "P", 1, "n_ctx, T"),
    ("types", "token types", r"n_{\mathrm{types}}", 0, "S"),
    ("tasks", "task types", r"n_{\mathrm{tasks}}", 1, ""),
    ("hashes", "rounds of hashing", r"n_{\mathrm{hashes}}", 1, "num_hashes"),
    ("bins", "buckets of a hash, those of its factors added", r"n_{\mathrm{bins}}", 2, "num_buckets"),
    ("langs", "languages", r"n_{\mathrm{langs}}", 1, ""),
    ("E", "experts", "E", 1, "n_experts"),
    ("K", "experts chosen a token", "K", 1, "top_k"),
    ("h_e", "width of one expert", r"h_{\mathrm{e}}", 1, "moe_intermediate_size"),
    ("E_s", "shared experts", r"E_{\mathrm{s}}", 0, "n_shared"),
    ("r_q", "query rank", r"r_{\mathrm{q}}", 1, "q_lora_rank"),
    ("r_kv", "key-value rank", r"r_{\mathrm{kv}}", 1, "d_c"),
    ("nope", "head width without rotation", r"k_{\mathrm{nope}}", 1, "qk_nope_head_dim"),
    ("rope", "head width with rotation", r"k_{\mathrm{rope}}", 0, "qk_rope_head_dim"),
    ("v", "value head width", "v", 1, "v_head_dim"),
    ("L_dense", "dense layers", r"L_{\mathrm{dense}}", 0, "first_k_dense_replace"),
    ("L_global", "layers with global attention", r"L_{\mathrm{global}}", 0, ""),
    ("L_dec", "decoder layers", r"L_{\mathrm{dec}}", 0, ""),
    ("h_dec", "feed-forward width of the decoder", r"h_{\mathrm{dec}}", 1, "decoder_ffn_dim"),
    ("heads_dec", "query heads of the decoder", r"n_{\mathrm{heads,dec}}", 1, "decoder_attention_heads"),
    ("V_dec", "vocabulary of the decoder", r"V_{\mathrm{dec}}", 1, "tgt_vocab_size"),
    ("P_dec", "positions of the decoder", r"P_{\mathrm{dec}}", 1, "max_target_positions"),
    ("r", "rank of a factorisation", "r", 1, ""),
    ("e", "embedding width", "e", 1, "embedding_size"),
    ("w", "kernel side", "w", 1, "k"),
    ("c", "channels", "c", 1, ""),
    ("C", "classes", "C", 1, "num_labels"),
    ("side", "image side", r"n_{\mathrm{side}}", 1, ""),
    ("patch", "patch side", r"n_{\mathrm{patch}}", 1, ""),
    ("m", "output width", "m", 1, "d_out"),
    ("n", "width of layer", "n", 1, ""),
    ("buckets", "relative-position buckets", r"n_{\mathrm{buckets}}", 1, ""),
    ("window", "tokens that a window sees", r"n_{\mathrm{window}}", 1, "sliding_window, W"),
    ("h_s", "width of the shared expert", r"h_{\mathrm{s}}", 1, "shared_expert_intermediate_size"),
    ("L_moe", "layers with experts", r"L_{\mathrm{moe}}", 0, ""),
    ("L_attn", "layers with attention", r"L_{\mathrm{attn}}", 0, ""),
    ("episode", "time steps of an episode", r"n_{\mathrm{episode}}", 1, "max_ep_len"),
    ("books", "codebooks of sounds", r"n_{\mathrm{books}}", 1, "num_codebooks"),
    ("V_codes", "codes in a codebook", r"V_{\mathrm{codes}}", 1, "codebook_size"),
    ("L_cross", "layers with cross attention", r"L_{\mathrm{cross}}", 0, "cross_attention_layers"),
    ("cycles", "runs of a stack of layers", r"n_{\mathrm{cycles}}", 1, "H_cycles"),
    ("cycles_fast", "runs of a fast stack in each cycle", r"n_{\mathrm{fast}}", 1, "L_cycles"),
    ("L_mlp", "feed-forward blocks of a layer", r"L_{\mathrm{mlp}}", 1, "num_feedforward_networks"),
    ("inner", "inner width of a state-space mixer", r"d_{\mathrm{inner}}", 1, "expand · d"),
    ("state", "width of a state", r"n_{\mathrm{state}}", 1, "N, d_state"),
    ("groups", "groups", r"n_{\mathrm{groups}}", 1, "n_groups"),
    ("chunk", "tokens of a chunk", r"n_{\mathrm{chunk}}", 1, "chunk_size"),
    ("r_dt", "rank of the time step", r"r_{\mathrm{dt}}", 1, "dt_rank"),
    ("L_ssm", "layers with a state-space mixer", r"L_{\mathrm{ssm}}", 0, ""),
    ("latent", "width that experts see", r"d_{\mathrm{latent}}", 1, "moe_latent_size"),
    ("r_a", "rank of an adapter", r"r_{\mathrm{a}}", 1, "adapter_rank"),
    ("blocks", "blocks used in turn", r"n_{\mathrm{blocks}}", 0, "num_mem_blocks"),
    ("ssm_heads", "heads of a state-space mixer", r"n_{\mathrm{ssm}}", 1, "mamba_n_heads"),
    ("heads_lin", "heads of linear attention", r"n_{\mathrm{heads,lin}}", 1, "linear_num_value_heads"),
    ("kv_lin", "key heads of linear attention", r"n_{\mathrm{kv,lin}}", 1, "linear_num_key_heads"),
    ("k_lin", "key head width of linear attention", r"k_{\mathrm{lin}}", 1, "linear_key_head_dim"),
    ("v_lin", "value head width of linear attention", r"v_{\mathrm{lin}}", 1, "linear_value_head_dim"),
    ("Z", "experts that do nothing", "Z", 0, "zero_expert_num"),
    ("L_index", "layers with an indexer", r"L_{\mathrm{index}}", 0, ""),
    ("heads_i", "heads of the indexer", r"n_{\mathrm{index}}", 1, "index_n_heads, H^I"),
    ("k_i", "head width of the indexer", r"k_{\mathrm{index}}", 1, "index_head_dim, d^I"),
    ("r_o", "output rank", r"r_{\mathrm{o}}", 1, "o_lora_rank, d_g"),
    ("streams", "residual streams", r"n_{\mathrm{streams}}", 1, "hc_mult, n_hc"),
    ("chunk_h", "tokens of a heavily compressed chunk", r"n_{\mathrm{heavy}}", 1, "m'"),
    ("L_csa", "layers with compressed sparse attention", r"L_{\mathrm{csa}}", 0, ""),
    ("L_hca", "layers with heavily compressed attention", r"L_{\mathrm{hca}}", 0, ""),
    ("globals", "tokens that all others meet", r"n_{\mathrm{global}}", 1, "num_global_tokens"),
    ("ngram", "tokens predicted at once", r"n_{\mathrm{gram}}", 1, ""),
    ("rows", "rows of a table of hashes", r"n_{\mathrm{rows}}", 1, ""),
    ("fill", "a multiple that widths are filled up to", r"n_{\mathrm{fill}}", 1, "pad_head_dim_to_multiple_of"),
    ("frames", "frames of a spectrogram or a video", r"n_{\mathrm{frames}}", 1, "num_frames"),
    ("tube", "frames that one token sees", r"n_{\mathrm{tube}}", 1, "tubelet_size"),
    ("tags", "tags of a path through a document", r"n_{\mathrm{tags}}", 1, "max_depth"),
    ("samples", "samples of a sound", r"n_{\mathrm{samples}}", 1, ""),
    ("registers", "register tokens", r"n_{\mathrm{reg}}", 1, "num_register_tokens"),
    ("objects", "tokens that become objects", r"n_{\mathrm{obj}}", 1, "num_detection_tokens"),
    ("group", "channels of a group", r"n_{\mathrm{group}}", 1, "group width"),
    ("d_dec", "width of the decoder", r"d_{\mathrm{dec}}", 1, "decoder_hidden_size"),
    ("d_img", "width of the image tower", r"d_{\mathrm{img}}", 1, ""),
    ("h_img", "feed-forward width of the image tower", r"h_{\mathrm{img}}", 1, ""),
    ("L_img", "layers of the image tower", r"L_{\mathrm{img}}", 0, ""),
    ("heads_img", "heads of the image tower", r"n_{\mathrm{heads,img}}", 1, ""),
    ("merge", "squares a side that become one", r"n_{\mathrm{merge}}", 1, "spatial_merge_size"),
    ("images", "images among the words", r"n_{\mathrm{images}}", 0, ""),
    ("e_img", "width of the image tower's vector", r"e_{\mathrm{img}}", 1, ""),
    ("L_global_img", "layers of the image tower without windows", r"L_{\mathrm{global,img}}", 0, ""),
    ("w_img", "patches a side of a window of the image tower", r"w_{\mathrm{img}}", 1, ""),
    ("kv_img", "key-value heads of the image tower", r"n_{\mathrm{kv,img}}", 1, ""),
    ("L_read", "layers of the image tower that are read", r"L_{\mathrm{read}}", 1, ""),
    ("m_img", "width of the image tower's adapter", r"m_{\mathrm{img}}", 1, ""),
    ("P_img", "positions of the image tower", r"P_{\mathrm{img}}", 1, "num_patches"),
    ("d_narrow", "width of a bottleneck", r"d_{\mathrm{narrow}}", 1, "intra_bottleneck_size"),
    ("stride", "steps from one window to the next", r"n_{\mathrm{stride}}", 1, "conv_stride"),
    ("w_pos", "kernel of a convolution that tells positions", r"w_{\mathrm{pos}}", 1, "num_conv_pos_embeddings"),
    ("L_pos", "layers that tell positions", r"L_{\mathrm{pos}}", 0, ""),
    ("w_depth", "kernel of a depthwise convolution", r"w_{\mathrm{depth}}", 1, "conv_depthwise_kernel_size"),
    ("w_a", "kernel of an adapter", r"w_{\mathrm{a}}", 1, "adapter_kernel_size"),
    ("stride_a", "stride of an adapter", r"n_{\mathrm{stride,a}}", 1, "adapter_stride"),
    ("d_last", "width behind an adapter", r"d_{\mathrm{last}}", 1, "output_hidden_size"),
    ("c_x", "channels of a speaker's convolutions", r"c_{\mathrm{x}}", 1, "tdnn_dim"),
    ("w_x", "kernel of a speaker's convolutions", r"w_{\mathrm{x}}", 1, "tdnn_kernel"),
    ("dilation", "how far apart a kernel sees", r"n_{\mathrm{dil}}", 1, "tdnn_dilation"),
    ("codebooks", "codebooks", r"n_{\mathrm{books}}", 1, "num_codevector_groups, G"),
    ("codes", "vectors of a codebook", r"n_{\mathrm{codes}}", 1, "num_codevectors_per_group, V"),
    ("d_code", "width of a vector of codes", r"d_{\mathrm{code}}", 1, "codevector_dim"),
    ("C_ctc", "classes of sounds", r"C_{\mathrm{ctc}}", 1, "num_ctc_classes, num_clusters"),
    ("squeeze", "frames that become one", r"n_{\mathrm{squeeze}}", 1, "squeeze_factor"),
    ("m_code", "width that codes are compared in", r"m_{\mathrm{code}}", 1, "proj_codevector_dim"),
    ("tp", "devices that share products (tensor parallel)", r"n_{\mathrm{tp}}", 1, "Megatron t"),
    ("pp", "devices that share layers (pipeline parallel)", r"n_{\mathrm{pp}}", 1, "Megatron p"),
    ("dp", "devices that share a batch (data parallel)", r"n_{\mathrm{dp}}", 1, "Megatron d"),
    ("V_layer", "vocabulary of a table of layers", r"V_{\mathrm{layer}}", 1, "vocab_size_per_layer_input"),
    ("kv_dec", "key-value heads of the decoder", r"n_{\mathrm{kv,dec}}", 1, ""),
    ("k_dec", "head width of the decoder", r"k_{\mathrm{dec}}", 1, ""),
    ("heads_local", "query heads of layers with a window", r"n_{\mathrm{heads,local}}", 1, "swa_num_attention_heads"),
    ("kv_local", "key-value heads of layers with a window", r"n_{\mathrm{kv,local}}", 1, "swa_num_key_value_heads"),
    ("k_local", "head width of layers with a window", r"k_{\mathrm{local}}", 1, "swa_head_dim"),
    ("L_nope", "layers without rotation", r"L_{\mathrm{nope}}", 0, "no_rope_layers"),
    ("r_q_local", "query rank of layers with a window", r"r_{\mathrm{q,local}}", 1, "swa_q_lora_rank"),
    ("r_kv_local", "key-value rank of layers with a window", r"r_{\mathrm{kv,local}}", 1, "swa_kv_lora_rank"),
    ("nope_local", "head width without rotation of layers with a window", r"k_{\mathrm{nope,local}}", 1,
     "swa_qk_nope_head_dim"),
    ("rope_local", "head width with rotation of layers with a window", r"k_{\mathrm{rope,local}}", 1,
     "swa_qk_rope_head_dim"),
    ("v_local", "value head width of layers with a window", r"v_{\mathrm{local}}", 1, "swa_v_head_dim"),
    ("kv_global", "key-value heads of layers with global attention", r"n_{\mathrm{kv,global}}", 1,
     "num_global_key_value_heads"),
    ("k_global", "head width of layers with global attention", r"k_{\mathrm{global}}", 1, "global_head_dim"),
    ("L_reuse_local", "layers with a window that reuse keys and values", r"L_{\mathrm{reuse,local}}", 0, ""),
    ("L_reuse_global", "layers with global attention that reuse keys and values", r"L_{\mathrm{reuse,global}}", 0, ""),
    ("N", "parameters", "N", 1, ""),
    ("D", "training tokens", "D", 1, ""),
)
GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "theta": "θ",
         "lambda": "λ", "mu": "μ", "sigma": "σ", "tau": "τ", "phi": "φ", "omega": "ω"}
TABLE = {line[0]: Row(*line) for line in _ROWS}


def known(name: str) -> bool:
    """Whether `name` is a letter of the table, with or without an index.

    >>> known("d"), known("n_12"), known("width")
    (True, True, False)
    """
    base, _, index = name.rpartition("_")
    return name in TABLE or (base in TABLE and index.isascii() and index.isdigit()
                             and (index[0] != "0" or index == "0"))


def row(name: str) -> Row:
    r"""The row of a letter; an index is carried into meaning and LaTeX, which has one subscript at most.

    >>> row("n_1").latex, row("n_1").meaning
    ('n_{1}', 'width of layer 1')
    >>> print(row("heads_0").latex)
    n_{\mathrm{heads},0}

    Raises FormulaError for a letter that the table does not have.
    """
    if name in TABLE:
        return TABLE[name]
    if not known(name):
        raise FormulaError(f"unknown symbol '{name}'; {hint(name)}")
    base, _, index = name.rpartition("_")
    one = TABLE[base]
    latex = f"{one.latex[:-1]},{index}}}" if "_" in one.latex else f"{one.latex}_{{{index}}}"
    return Row(name, f"{one.meaning} {index}", latex, one.least, one.others)


def hint(name: str) -> str:
    """What was perhaps meant by a name that the table does not have: a letter like it, or one that means it.

    >>> hint("experts"), hint("hidden_width")
    ('did you mean E (experts), K (experts chosen a token), E_s (shared experts)?', ...)
    """
    meant = [one for one in _ROWS if name.lower() in f"{one[1]}, {one[4]}".lower().replace(",", "").split()]
    close = nearest(name, list(TABLE))
    if close.startswith("did") or not meant:
        return close
    return f"did you mean {', '.join(f'{one[0]} ({one[1]})' for one in meant[:3])}?"


_made: dict[str, Any] = {}


def symbol(name: str) -> Any:
    """The SymPy symbol of a letter, a positive integer, always the same object.

    >>> symbol("d") is symbol("d"), symbol("d").is_positive
    (True, True)
    """
    if name not in _made:
        row(name)  # refuses a name that the table does not have
        import sympy

        _made[name] = sympy.Symbol(name, integer=True, positive=True)
    return _made[name]


def __getattr__(name: str) -> Any:
    if known(name):
        return symbol(name)
    hint = "" if name.startswith("_") else f"; {nearest(name, list(TABLE))}"  # the import system asks for __path__
    raise AttributeError(f"module 'symcount.symbols' has no letter '{name}'{hint}")


def __dir__() -> list[str]:
    return sorted(TABLE)
