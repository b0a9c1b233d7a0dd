"""Reads the base model's weights from its ONNX graph; as a program, packs them for a machine that has no `onnx`.

  python3 train/base.py model.onnx base.npz
"""
import re, sys
import numpy as np

WORDS = 'embeddings.word_embeddings.weight'


def base_weights(path):
    """Name → array, with weights as [out, in]. Takes the graph or a packed file."""
    if path.endswith('.npz'):
        packed = np.load(path)
        found = {name: packed[name].astype(np.float32) for name in packed.files if name != 'scale'}
        found[WORDS] = found[WORDS] * packed['scale']
        return found
    import onnx, onnx.numpy_helper
    graph = onnx.load(path).graph
    stored = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    found = {re.sub(r'^bert\.', '', name): value for name, value in stored.items()
             if re.match(r'(bert\.)?(embeddings|encoder)\.', name) and value.dtype == np.float32}
    for node in graph.node:
        for name in node.input:
            if node.op_type == 'MatMul' and name in stored:
                layer = re.sub(r'^/(bert/)?', '', node.name).replace('/MatMul', '').replace('/', '.')
                found[layer + '.weight'] = stored[name].T.copy()
    return found


def pack(weights):
    """16 bit, and the words in 8 bit: 33 MB instead of 90."""
    scale = np.abs(weights[WORDS]).max(1, keepdims=True) / 127
    packed = {name: value.astype(np.float16) for name, value in weights.items()}
    return {**packed, WORDS: np.round(weights[WORDS] / scale).astype(np.int8), 'scale': scale.astype(np.float32)}


if __name__ == '__main__':
    np.savez(sys.argv[2], **pack(base_weights(sys.argv[1])))
