"""Writes the model that ships: graphs in 8 bit, word embeddings in 4 bit, and a check that it agrees with the original.

  python3 train/export.py --base model.onnx --vocab vocab.txt --learnt learnt.npz --out plugin/model [--version small-4]

`--base` is the fp32 graph of all-MiniLM-L6-v2, `--learnt` what train.py wrote. Needs numpy, onnx, onnxruntime.
"""
import argparse, gzip, hashlib, json, os
import numpy as np, onnx, onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from base import WORDS, base_weights

WIDTH, HEADS, LOWER, LAYERS = 384, 12, 3, 6
GROUP = 32


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
        """Adds the change of low rank that the tasks make to a layer of the base, if there is one."""
        name = 'low.' + name.replace('encoder.layer.', '').replace('.', '-')
        if f'{name}.down.weight' not in w:
            return y
        down, up = (self.half(w[f'{name}.{part}.weight'].T) for part in ('down', 'up'))
        return self.op('Add', y, self.op('Mul', self.op('MatMul', self.op('MatMul', x, down), up), 'task'))

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
        shapes = {'words': [*text, WIDTH], 'task': [1], 'states': [*text, WIDTH], 'types': text, 'mask': text,
                  'vector': ['batch', WIDTH], 'keep': ['batch', 10], 'relate': ['batch', 4], 'read': ['batch', 1]}
        value = lambda one: helper.make_tensor_value_info(one, 7 if one == 'types' else 1, shapes[one])
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
    positions = g.op('Slice', g.half(w['embeddings.position_embeddings.weight']), zero, length, zero)
    types = g.op('Gather', g.const(w['embeddings.token_type_embeddings.weight'].astype(np.float32)), 'types')
    x = g.norm(g.op('Add', g.op('Add', 'words', positions), types), w, 'embeddings.LayerNorm')
    block = g.block('mask')
    for i in range(LOWER):
        x = g.layer(x, w, f'encoder.layer.{i}', block)
    adapted = ['task'] if any(name.startswith('low.') for name in w) else []
    return g.bytes('lower', ['words', 'types', 'mask', *adapted], {x: 'states'})


def vector(w):
    g = Graph()
    block, x = g.block('mask'), 'states'
    for i in range(LOWER, LAYERS):
        x = g.layer(x, w, f'encoder.layer.{i}', block)
    mean = g.mean(x, 'mask')
    length = g.op('ReduceL2', mean, axes=[1], keepdims=1)
    return g.bytes('vector', ['states', 'mask'], {g.op('Div', mean, length): 'vector'})


def tasks(w):
    """Our own layers and the three heads. *keep* looks at the first segment only."""
    g = Graph()
    block, x = g.block('mask'), 'states'
    for i in range(LAYERS - LOWER):
        x = g.layer(x, w, f'own.{i}', block)
    first = g.op('Gather', x, g.const(np.int64(0)), axis=1)
    of_first = g.op('Mul', 'mask', g.op('Cast', g.op('Equal', 'types', g.const(np.int64(0))), to=TensorProto.FLOAT))
    both = {part: g.op('Concat', first, g.mean(x, part), axis=1) for part in ('mask', of_first)}
    head = lambda task, part: g.op('Add', g.op('MatMul', both[part], g.const(w[f'{task}.weight'].T.astype(np.float32))),
                                   g.const(w[f'{task}.bias'].astype(np.float32)))
    outputs = {head('keep', of_first): 'keep', head('relate', 'mask'): 'relate', head('read', 'mask'): 'read'}
    return g.bytes('tasks', ['states', 'types', 'mask'], outputs)


def four_bit(words):
    """Per row 12 groups of 32 values: scale and lowest value as float16, then the values, two per byte."""
    grouped = words.reshape(len(words), -1, GROUP)
    low = grouped.min(2).astype(np.float16)
    scale = np.maximum((grouped.max(2) - low.astype(np.float32)) / 15, 1e-6).astype(np.float16)
    levels = np.clip(np.round((grouped - low[..., None].astype(np.float32)) / scale[..., None].astype(np.float32)), 0, 15)
    levels = levels.astype(np.uint8).reshape(len(words), -1)
    head = np.stack([scale, low], 2).reshape(len(words), -1).view(np.uint8)
    packed = np.concatenate([head, levels[:, ::2] | levels[:, 1::2] << 4], 1).tobytes()
    read = low[..., None].astype(np.float32) + scale[..., None].astype(np.float32) * levels.reshape(grouped.shape)
    return packed, read.reshape(words.shape)


def runner(files):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 2
    sessions = {name: ort.InferenceSession(data, options, providers=['CPUExecutionProvider']) for name, data in files.items()}

    def run(task, words, ids, types, mask):
        feeds = {'words': words[ids], 'types': types, 'mask': mask, 'task': np.float32([task != 'vector'])}
        given = {one.name for one in sessions['lower'].get_inputs()}
        states = sessions['lower'].run(None, {name: value for name, value in feeds.items() if name in given})[0]
        if task == 'vector':
            return sessions['vector'].run(None, {'states': states, 'mask': mask})[0]
        return sessions['tasks'].run([task], {'states': states, 'types': types, 'mask': mask})[0]
    return run


def agreement(files, words, path):
    """Compares the files that ship with what the original model gave for the same inputs (`--check` of train.py)."""
    run = runner(files)
    got, want = {}, {}
    for one in json.loads(gzip.open(path, 'rt').read()):
        ids = np.array([one['ids']], np.int64)
        types = np.array([one['types']], np.int64)
        got.setdefault(one['task'], []).append(run(one['task'], words, ids, types, np.ones(ids.shape, np.float32))[0])
        want.setdefault(one['task'], []).append(one['out'])
    got, want = ({task: np.array(rows) for task, rows in side.items()} for side in (got, want))
    sure = lambda side: 1 / (1 + np.exp(-side['keep'][:, 0]))
    cosine = (got['vector'] * want['vector']).sum(1)
    same = lambda task, start=0: (got[task][:, start:].argmax(1) == want[task][:, start:].argmax(1)).mean()
    return {
        'inputs': sum(len(rows) for rows in got.values()),
        'vector: cosine, mean': cosine.mean(),
        'vector: cosine, lowest': cosine.min(),
        'keep: same side of 0.5': ((sure(got) > .5) == (sure(want) > .5)).mean(),
        'keep: mean difference': np.abs(sure(got) - sure(want)).mean(),
        'kind: same': same('keep', 1),
        'relate: same': same('relate'),
        'read: correlation': np.corrcoef(got['read'][:, 0], want['read'][:, 0])[0, 1],
    }


def main():
    ap = argparse.ArgumentParser()
    for name in ('base', 'vocab', 'learnt', 'out'):
        ap.add_argument('--' + name, required=True)
    ap.add_argument('--version', default='small-4')
    ap.add_argument('--check', default='', help='inputs and outputs of the original, from train.py')
    ap.add_argument('--facts', default='', help='JSON to copy into model.json')
    args = ap.parse_args()
    w = {**base_weights(args.base), **{k: v.astype(np.float32) for k, v in np.load(args.learnt).items()}}
    words = w[WORDS]
    packed, read_back = four_bit(words)
    build = {'lower': lower, 'vector': vector, 'tasks': tasks}
    graphs = {name: make(w) for name, make in build.items()}
    report = {name: round(float(value), 4) for name, value in agreement(graphs, read_back, args.check).items()} if args.check else {}
    for name, value in report.items():
        print(f'{name}: {value}')
    if report and (report['vector: cosine, mean'] < .985 or report['keep: same side of 0.5'] < .95 or report['read: correlation'] < .97):
        raise SystemExit('The quantised model does not agree with the original.')
    os.makedirs(args.out, exist_ok=True)
    files = {'words.bin': packed, 'vocab.txt': open(args.vocab, 'rb').read(), **{f'{k}.onnx': v for k, v in graphs.items()}}
    for name, data in files.items():
        open(os.path.join(args.out, name), 'wb').write(data)
    facts = json.load(open(args.facts)) if args.facts else {}
    card = {'version': args.version, **facts, 'agreement': report,
            'files': {k: {'bytes': len(v), 'sha256': hashlib.sha256(v).hexdigest()} for k, v in sorted(files.items())}}
    with open(os.path.join(args.out, 'model.json'), 'w') as out:
        out.write(json.dumps(card, indent=2) + '\n')
    print(f"{sum(len(v) for v in files.values()) / 1e6:.1f} MB in {args.out}")


if __name__ == '__main__':
    main()
