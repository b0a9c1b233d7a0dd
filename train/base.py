"""Reads the base model's weights from its ONNX graph; as a program, packs them for a machine that has no `onnx`.

  python3 train/base.py model.onnx base.npz
"""
import re, sys
import numpy as np

WORDS = 'embeddings.word_embeddings.weight'
SCALE = 'scale '


def base_weights(path):
    """Name → array, with weights as [out, in]. Takes the graph or a packed file."""
    if path.endswith('.npz'):
        packed = np.load(path)
        scaled = lambda name: packed[name] * packed[SCALE + name] if SCALE + name in packed.files else packed[name]
        return {name: scaled(name).astype(np.float32) for name in packed.files if not name.startswith(SCALE)}
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
    """Tables in 8 bit with a scale per row, as they ship, and the rest in 16 bit: 23 MB instead of 90."""
    packed = {}
    for name, value in weights.items():
        if value.ndim < 2 or 'position' in name:
            packed[name] = value.astype(np.float16)
            continue
        scale = np.maximum(np.abs(value).max(1, keepdims=True), 1e-8) / 127
        packed |= {name: np.round(value / scale).astype(np.int8), SCALE + name: scale.astype(np.float32)}
    return packed


if __name__ == '__main__':
    np.savez(sys.argv[2], **pack(base_weights(sys.argv[1])))
