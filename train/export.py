"""Writes the model that ships: graphs in 8 bit, word embeddings in 4 bit. agreement.ts then compares it with the original.

  python3 train/export.py --base model.onnx --vocab vocab.txt --learnt learnt.npz --out plugin/model [--version small-6]

`--base` is the fp32 graph of all-MiniLM-L6-v2, `--learnt` what train.py wrote. Needs numpy and onnx.
"""
import argparse, hashlib, json, os
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
from base import WORDS, base_weights

WIDTH, HEADS, LOWER, LAYERS = 384, 12, 3, 6
GROUP = 32
# Word pieces of the longest input.
POSITIONS = 384
# Where the changes of low rank apply, how train.py names them, and the input that turns them on.
CHANGES = [('encoder.layer.', 'low', 'task'), ('encoder.layer.', 'reading', 'reads'), ('own.', 'upper', 'reads')]


class Graph:
    """Builds one ONNX graph with weights in 8 bit."""

    def __init__(self):
        self.nodes, self.stored, self.count, self.shared = [], [], 0, {}

    def name(self, hint):
        self.count += 1
        return f'{hint}_{self.count}'

    def const(self, value, hint='c'):
        value = np.asarray(value)
        key = (value.dtype.str, value.shape, value.tobytes())
        if key not in self.shared:
            self.shared[key] = self.name(hint)
            self.stored.append(numpy_helper.from_array(value, self.shared[key]))
        return self.shared[key]

    def half(self, value):
        """Stored in 16 bit."""
        return self.op('Cast', self.const(value.astype(np.float16)), to=TensorProto.FLOAT)

    def packed(self, value):
        """Stored in 8 bit with a scale per row; the runtime unpacks it once, when it loads the graph."""
        scale = np.maximum(np.abs(value).max(1, keepdims=True), 1e-8) / 127
        whole = self.op('Cast', self.const(np.round(value / scale).astype(np.int8)), to=TensorProto.FLOAT)
        return self.op('Mul', whole, self.const(scale.astype(np.float32)))

    def op(self, kind, *inputs, outputs=1, **options):
        names = [self.name(kind.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **options))
        return names[0] if outputs == 1 else names

    def linear(self, x, weight, bias, given=None):
        """x · weightᵀ + bias: weights with one scale per output, the input by its own range."""
        bias = self.const(bias.astype(np.float32))
        scale = np.maximum(np.abs(weight).max(1), 1e-8) / 127
        whole = np.clip(np.round(weight / scale[:, None]), -127, 127).astype(np.int8).T.copy()
        q, by, zero = given or self.op('DynamicQuantizeLinear', x, outputs=3)
        product = self.op('MatMulInteger', q, self.const(whole), zero, self.const(np.zeros(weight.shape[0], np.int8)))
        factor = self.op('Mul', by, self.const(scale.astype(np.float32)))
        return self.op('Add', self.op('Mul', self.op('Cast', product, to=TensorProto.FLOAT), factor), bias)

    def changed(self, y, x, w, name):
        """Adds the changes of low rank that the tasks make to a layer: each is multiplied by an input that turns it on."""
        for layers, change, when in CHANGES:
            key = f"{change}.{name.removeprefix(layers).replace('.', '-')}"
            if name.startswith(layers) and f'{key}.down.weight' in w:
                down = self.op('Transpose', self.packed(w[f'{key}.down.weight']), perm=[1, 0])
                up = self.packed(w[f'{key}.up.weight'].T)
                y = self.op('Add', y, self.op('Mul', self.op('MatMul', self.op('MatMul', x, down), up), when))
        return y

    def norm(self, x, w, name):
        scale, bias = (self.const(w[f'{name}.{part}'].astype(np.float32)) for part in ('weight', 'bias'))
        return self.op('LayerNormalization', x, scale, bias, axis=-1, epsilon=1e-12)

    def heads(self, x, order):
        shape = self.const(np.array([0, 0, HEADS, WIDTH // HEADS], np.int64))
        return self.op('Transpose', self.op('Reshape', x, shape), perm=order)

    def layer(self, x, w, name, block):
        """One layer of BERT. `block` is added to the attention's scores."""
        given = self.op('DynamicQuantizeLinear', x, outputs=3)
        linear = lambda x, which, given=None: self.changed(
            self.linear(x, w[f'{name}.{which}.weight'], w[f'{name}.{which}.bias'], given), x, w, f'{name}.{which}')
        q, k, v = (self.heads(linear(x, f'attention.self.{which}', given), order) for which, order in
                   (('query', [0, 2, 1, 3]), ('key', [0, 2, 3, 1]), ('value', [0, 2, 1, 3])))
        scores = self.op('Mul', self.op('MatMul', q, k), self.const(np.float32(1 / np.sqrt(WIDTH // HEADS))))
        seen = self.op('MatMul', self.op('Softmax', self.op('Add', scores, block), axis=-1), v)
        shape = self.const(np.array([0, 0, WIDTH], np.int64))
        seen = self.op('Reshape', self.op('Transpose', seen, perm=[0, 2, 1, 3]), shape)
        seen = linear(seen, 'attention.output.dense')
        x = self.norm(self.op('Add', seen, x), w, f'{name}.attention.output.LayerNorm')
        wide = linear(x, 'intermediate.dense')
        half = self.op('Mul', wide, self.const(np.float32(.5)))
        curve = self.op('Add', self.op('Erf', self.op('Mul', wide, self.const(np.float32(1 / np.sqrt(2))))),
                        self.const(np.float32(1)))
        narrow = linear(self.op('Mul', half, curve), 'output.dense')
        return self.norm(self.op('Add', narrow, x), w, f'{name}.output.LayerNorm')

    def block(self, mask):
        """0 where the mask has a token, a large negative number where it has padding: [batch, 1, 1, tokens]."""
        away = self.op('Sub', mask, self.const(np.float32(1)))
        return self.op('Unsqueeze', self.op('Mul', away, self.const(np.float32(1e4))), self.const(np.array([1, 2], np.int64)))

    def mean(self, states, part):
        part = self.op('Unsqueeze', part, self.const(np.array([2], np.int64)))
        axis = self.const(np.array([1], np.int64))
        sum_ = self.op('ReduceSum', self.op('Mul', states, part), axis, keepdims=0)
        return self.op('Div', sum_, self.op('ReduceSum', part, axis, keepdims=0))

    def bytes(self, name, inputs, outputs):
        text = ['batch', 'tokens']
        shapes = {'words': [*text, WIDTH], 'task': [1], 'reads': [1], 'states': [*text, WIDTH], 'types': text, 'mask': text,
                  'starts': ['sentences'], 'shares': ['sentences', 'tokens'], 'vector': ['batch', WIDTH], 'keep': ['sentences', 10], 'relate': ['batch', 4], 'read': ['batch', 1]}
        value = lambda one: helper.make_tensor_value_info(one, 7 if one in ('types', 'starts') else 1, shapes[one])
        for node in self.nodes:
            node.output[:] = [outputs.get(one, one) for one in node.output]
            node.input[:] = [outputs.get(one, one) for one in node.input]
        graph = helper.make_graph(self.nodes, name, [value(one) for one in inputs],
                                  [value(one) for one in outputs.values()], self.stored)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8)
        onnx.checker.check_model(model)
        return model.SerializeToString()


def lower(w):
    """The embeddings of positions and types, and the first layers."""
    g = Graph()
    length = g.op('Slice', g.op('Shape', 'types'), *(g.const(np.array([n], np.int64)) for n in (1, 2)))
    zero = g.const(np.array([0], np.int64))
    positions = g.op('Slice', g.half(w['embeddings.position_embeddings.weight'][:POSITIONS]), zero, length, zero)
    types = g.op('Gather', g.const(w['embeddings.token_type_embeddings.weight'].astype(np.float32)), 'types')
    x = g.norm(g.op('Add', g.op('Add', 'words', positions), types), w, 'embeddings.LayerNorm')
    block = g.block('mask')
    for i in range(LOWER):
        x = g.layer(x, w, f'encoder.layer.{i}', block)
    return g.bytes('lower', ['words', 'types', 'mask', 'task', 'reads'], {x: 'states'})


def vector(w):
    g = Graph()
    block, x = g.block('mask'), 'states'
    for i in range(LOWER, LAYERS):
        x = g.layer(x, w, f'encoder.layer.{i}', block)
    mean = g.mean(x, 'mask')
    length = g.op('ReduceL2', mean, axes=[1], keepdims=1)
    return g.bytes('vector', ['states', 'mask'], {g.op('Div', mean, length): 'vector'})


def tasks(w):
    """Our own layers and the three heads. *keep* answers for each sentence: `starts` and `shares` say where they are."""
    g = Graph()
    block, x = g.block('mask'), 'states'
    for i in range(LAYERS - LOWER):
        x = g.layer(x, w, f'own.{i}', block)
    pair = g.op('Concat', g.op('Gather', x, g.const(np.int64(0)), axis=1), g.mean(x, 'mask'), axis=1)
    tokens = g.op('Squeeze', x, g.const(np.array([0], np.int64)))
    sentences = g.op('Concat', g.op('Gather', tokens, 'starts', axis=0), g.op('MatMul', 'shares', tokens), axis=1)
    head = lambda task, seen: g.op('Add', g.op('MatMul', seen, g.const(w[f'{task}.weight'].T.astype(np.float32))),
                                   g.const(w[f'{task}.bias'].astype(np.float32)))
    outputs = {head('keep', sentences): 'keep', head('relate', pair): 'relate', head('read', pair): 'read'}
    return g.bytes('tasks', ['states', 'mask', 'reads', 'starts', 'shares'], outputs)


def four_bit(words):
    """Per row 12 groups of 32 values: scale and lowest value as float16, then the values, two per byte."""
    grouped = words.reshape(len(words), -1, GROUP)
    low = grouped.min(2).astype(np.float16)
    scale = np.maximum((grouped.max(2) - low.astype(np.float32)) / 15, 1e-6).astype(np.float16)
    levels = np.clip(np.round((grouped - low[..., None].astype(np.float32)) / scale[..., None].astype(np.float32)), 0, 15)
    levels = levels.astype(np.uint8).reshape(len(words), -1)
    head = np.stack([scale, low], 2).reshape(len(words), -1).view(np.uint8)
    return np.concatenate([head, levels[:, ::2] | levels[:, 1::2] << 4], 1).tobytes()


def main():
    ap = argparse.ArgumentParser()
    for name in ('base', 'vocab', 'learnt', 'out'):
        ap.add_argument('--' + name, required=True)
    ap.add_argument('--version', default='small-6')
    args = ap.parse_args()
    w = {**base_weights(args.base), **{k: v.astype(np.float32) for k, v in np.load(args.learnt).items()}}
    packed = four_bit(w[WORDS])
    build = {'lower': lower, 'vector': vector, 'tasks': tasks}
    graphs = {name: make(w) for name, make in build.items()}
    os.makedirs(args.out, exist_ok=True)
    files = {'words.bin': packed, 'vocab.txt': open(args.vocab, 'rb').read(), **{f'{k}.onnx': v for k, v in graphs.items()}}
    for name, data in files.items():
        open(os.path.join(args.out, name), 'wb').write(data)
    card = {'version': args.version,
            'files': {k: {'bytes': len(v), 'sha256': hashlib.sha256(v).hexdigest()} for k, v in sorted(files.items())}}
    with open(os.path.join(args.out, 'model.json'), 'w') as out:
        out.write(json.dumps(card, indent=2) + '\n')
    print(f"{sum(len(v) for v in files.values()) / 1e6:.1f} MB in {args.out}")


if __name__ == '__main__':
    main()
