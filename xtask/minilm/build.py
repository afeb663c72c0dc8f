"""Builds the embedding model that development, tests and benchmarks run on: all-MiniLM-L6-v2, int8, as ONNX.

The weights come out of a Python package and no hub has to be reachable. The usual exporters want PyTorch, which is
ten times larger than everything else here together; the network has six equal layers, so this file writes its graph
node by node. It runs in a temporary environment made by `cargo xtask setup`, and what it leaves is three files:

    model.onnx       input_ids, attention_mask, token_type_ids -> embedding (mean of the tokens, unit length)
    tokenizer.json   as published
    model.json       name, longest text in tokens, licence, digests

A change here that changes model.onnx needs a new recipe number in `xtask/src/setup/minilm.rs`: otherwise machines
that have the old file keep it.

    build.py SOURCE TARGET      SOURCE holds model.safetensors, config.json and tokenizer.json
"""

import hashlib
import json
import math
import shutil
import sys
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2"
LICENCE = "Apache-2.0"
BLOCK = 32
# Operators of ONNX Runtime that are not in the ONNX standard.
RUNTIME_DOMAIN = "com.microsoft"
# The model was trained and published with this length; its position table would allow 512.
MAX_TOKENS = 256
# A third party packaged the weights. These are the digests of the files as the authors published them.
PUBLISHED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
# Two sentences with the same meaning and few common words, and an unrelated one.
PARAPHRASES = (
    "the deploy broke due to a slow schema migration",
    "the database migration timed out during deployment",
)
UNRELATED = "I like bananas"
SAMPLES = (*PARAPHRASES, UNRELATED, "", "Ünïcödé, 中文 and 🙂", "retry the call with the id from the answer. " * 40)
# The cosine between the exact vectors and the quantised ones; over pages of prose the minimum was 0.998. The usual int8
# quantisation, with one scale per input, takes half the time and gives 0.89. It changes a quarter of the five nearest
# neighbours, and the vector of a text then depends on the other texts of the batch.
LEAST_AGREEMENT = 0.995


class Graph:
    """Collects named nodes and constants. The names make errors of the runtime readable."""

    def __init__(self, weights, exact):
        self.weights = weights
        self.exact = exact
        self.nodes = []
        self.constants = {}

    def constant(self, name, values, kind="float32"):
        self.constants[name] = numpy_helper.from_array(numpy.ascontiguousarray(values, dtype=kind), name)
        return name

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def node(self, kind, name, *inputs, **attributes):
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def dense(self, name, x):
        weight = self.weights[f"{name}.weight"]
        if self.exact:
            product = self.node("MatMul", f"{name}/product", x, self.constant(f"{name}.weight", weight.T))
        else:
            product = self.dense_in_eight_bits(name, x, weight)
        return self.node("Add", name, product, self.weight(f"{name}.bias"))

    def dense_in_eight_bits(self, name, x, weight):
        """Weights in blocks of 32 with one scale each; the runtime quantises the input in the same blocks."""
        outputs, inputs = weight.shape
        blocks = weight.reshape(outputs, inputs // BLOCK, BLOCK)
        scales, values = rounded(blocks)
        # The operator uses values from 0 to 255, where 128 is zero.
        stored = self.constant(f"{name}.weight", values.astype("int16") + 128, "uint8")
        scales = self.constant(f"{name}.scales", scales.reshape(-1))
        sizes = {"K": inputs, "N": outputs, "bits": 8, "block_size": BLOCK}
        # Level 4 selects integer arithmetic. Without it, the weights are unpacked for every text: 60 ms instead of 5.
        return self.node(
            "MatMulNBits", f"{name}/product", x, stored, scales, domain=RUNTIME_DOMAIN, accuracy_level=4, **sizes
        )

    def look_up(self, name, table, ids):
        """The rows of a table; in 8 bits with one scale per row."""
        values = self.weights[table]
        if self.exact:
            return self.node("Gather", name, self.constant(table, values), ids)
        scales, values = rounded(values)
        rows = self.node("Gather", f"{name}/stored", self.constant(table, values, "int8"), ids)
        scales = self.node("Gather", f"{name}/scale", self.constant(f"{table}/scales", scales), ids)
        rows = self.node("Cast", f"{name}/rows", rows, to=TensorProto.FLOAT)
        return self.node("Mul", name, rows, scales)

    def normalise(self, name, x, epsilon):
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", name, x, scale, shift, axis=-1, epsilon=epsilon)

    def model(self, inputs, output, width):
        ports = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in inputs]
        result = helper.make_tensor_value_info(output, TensorProto.FLOAT, ["texts", width])
        graph = helper.make_graph(self.nodes, NAME, ports, [result], list(self.constants.values()))
        # Old enough for every supported runtime.
        sets = [helper.make_opsetid("", 17), helper.make_opsetid(RUNTIME_DOMAIN, 1)]
        model = helper.make_model(graph, opset_imports=sets, ir_version=8)
        onnx.checker.check_model(model)
        return model


def rounded(rows):
    """Scales that keep the last axis within -127 to 127, and the values."""
    scales = numpy.abs(rows).max(axis=-1, keepdims=True).astype("float32") / 127
    # A row of zeros has no scale; avoid a division by zero.
    return scales, numpy.rint(rows / numpy.where(scales > 0, scales, 1)).astype("int8")


def write_graph(weights, config, exact):
    """The network: embeddings, layers of attention and feed-forward, then the mean of the tokens."""
    if (config["model_type"], config["hidden_act"], config["position_embedding_type"]) != ("bert", "gelu", "absolute"):
        sys.exit("config.json describes another kind of network than this script writes")
    width, heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    g = Graph(weights, exact)
    zero, one = g.constant("zero", 0, "int64"), g.constant("one", 1, "int64")
    first, last = g.constant("axis 1", [1], "int64"), g.constant("axis 2", [2], "int64")
    mask = g.node("Cast", "mask", "attention_mask", to=TensorProto.FLOAT)
    x = embed_tokens(g, zero, one, epsilon)
    # Padding tokens have a weight of 0.
    shield = g.node("Unsqueeze", "shield", mask, g.constant("axes 1 and 2", [1, 2], "int64"))
    shield = g.node("Sub", "shield/missing", g.constant("1.0", 1), shield)
    shield = g.node("Mul", "shield/bias", shield, g.constant("far below", -1e9))
    g.constant("split", [0, 0, heads, width // heads], "int64")
    g.constant("joined", [0, 0, width], "int64")
    g.constant("scale", 1 / math.sqrt(width // heads))
    for layer in range(config["num_hidden_layers"]):
        x = attend(g, f"encoder.layer.{layer}.attention", x, shield, epsilon)
        x = feed_forward(g, f"encoder.layer.{layer}", x, epsilon)
    present = g.node("Unsqueeze", "present", mask, last)
    total = g.node("ReduceSum", "total", g.node("Mul", "kept", x, present), first, keepdims=0)
    count = g.node("ReduceSum", "count", present, first, keepdims=0)
    mean = g.node("Div", "mean", total, count)
    g.node("LpNormalization", "embedding", mean, axis=-1, p=2)
    return g.model(["input_ids", "attention_mask", "token_type_ids"], "embedding", width)


def embed_tokens(g, zero, one, epsilon):
    words = g.look_up("words", "embeddings.word_embeddings.weight", "input_ids")
    types = g.look_up("types", "embeddings.token_type_embeddings.weight", "token_type_ids")
    # Positions 0, 1, 2, … as a cumulative sum of ones. A Range over the length of the input triggers a bug in the
    # optimiser of ONNX Runtime 1.31, which folds it into a constant of the wrong length.
    ones = g.node("Add", "ones", g.node("Mul", "zeros", "input_ids", zero), one)
    positions = g.node("Sub", "positions", g.node("CumSum", "running count", ones, one), one)
    places = g.look_up("places", "embeddings.position_embeddings.weight", positions)
    both = g.node("Add", "words and types", words, types)
    return g.normalise("embeddings.LayerNorm", g.node("Add", "all embeddings", both, places), epsilon)


def attend(g, name, x, shield, epsilon):
    def projected(part, order):
        rows = g.node("Reshape", f"{name}/{part}/split", g.dense(f"{name}.self.{part}", x), "split")
        return g.node("Transpose", f"{name}/{part}", rows, perm=order)

    query, value = projected("query", [0, 2, 1, 3]), projected("value", [0, 2, 1, 3])
    key = projected("key", [0, 2, 3, 1])
    scores = g.node("Mul", f"{name}/scores", g.node("MatMul", f"{name}/raw", query, key), "scale")
    shares = g.node("Softmax", f"{name}/shares", g.node("Add", f"{name}/masked", scores, shield), axis=-1)
    mixed = g.node("Transpose", f"{name}/turned", g.node("MatMul", f"{name}/mixed", shares, value), perm=[0, 2, 1, 3])
    joined = g.node("Reshape", f"{name}/joined", mixed, "joined")
    sum_ = g.node("Add", f"{name}/with input", g.dense(f"{name}.output.dense", joined), x)
    return g.normalise(f"{name}.output.LayerNorm", sum_, epsilon)


def feed_forward(g, name, x, epsilon):
    wide = g.dense(f"{name}.intermediate.dense", x)
    # The exact form of GELU; the runtime detects the pattern and uses one kernel for it.
    scaled = g.node("Mul", f"{name}/scaled", wide, g.constant("1/sqrt 2", 1 / math.sqrt(2)))
    gate = g.node("Add", f"{name}/gate", g.node("Erf", f"{name}/erf", scaled), "1.0")
    half = g.node("Mul", f"{name}/half", wide, g.constant("0.5", 0.5))
    narrow = g.dense(f"{name}.output.dense", g.node("Mul", f"{name}/gelu", half, gate))
    return g.normalise(f"{name}.output.LayerNorm", g.node("Add", f"{name}/with input", narrow, x), epsilon)


def embed(session, tokenizer, texts):
    """The vectors of texts in one batch, so that shorter ones are padded."""
    encoded = tokenizer.encode_batch(list(texts))
    ids = numpy.array([one.ids for one in encoded], dtype="int64")
    mask = numpy.array([one.attention_mask for one in encoded], dtype="int64")
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
    return session.run(["embedding"], inputs)[0]


def verify(exact, kept, tokenizer):
    """Fails if the quality of the model is too low. Returns the measured quality."""
    vectors, reference = embed(kept, tokenizer, SAMPLES), embed(exact, tokenizer, SAMPLES)
    alone = numpy.concatenate([embed(kept, tokenizer, [text]) for text in SAMPLES])
    agreement, drift = (vectors * reference).sum(axis=1).min(), numpy.abs(vectors - alone).max()
    close, far = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    report = f"paraphrases {close:.2f}, unrelated {far:.2f}, agreement with the exact weights {agreement:.4f}"
    if not (close > 0.5 and close > far and agreement > LEAST_AGREEMENT and drift < 1e-3):
        sys.exit(f"the model is not good enough: {report}, difference between company and alone {drift:.5f}")
    return report


def open_model(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main(source, target):
    for name, published in PUBLISHED.items():
        if digest(source / name) != published:
            sys.exit(f"{source / name} is not the file that the authors of {NAME} published")
    weights = load_file(source / "model.safetensors")
    config = json.loads((source / "config.json").read_text())
    onnx.save(write_graph(weights, config, exact=False), target / "model.onnx")
    shutil.copyfile(source / "tokenizer.json", target / "tokenizer.json")
    tokenizer = Tokenizer.from_file(str(target / "tokenizer.json"))
    # The published file pads every text to 128 tokens and truncates there.
    tokenizer.enable_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    exact = open_model(write_graph(weights, config, exact=True).SerializeToString())
    report = verify(exact, open_model(target / "model.onnx"), tokenizer)
    files = {name: digest(target / name) for name in ("model.onnx", "tokenizer.json")}
    description = {"name": NAME, "max_tokens": MAX_TOKENS, "license": LICENCE, "sha256": files}
    (target / "model.json").write_text(json.dumps(description, indent=2) + "\n")
    print(f"{NAME} int8 {files['model.onnx'][:12]}, {report}")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
