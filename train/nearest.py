"""Finds for each training prompt the memories of other projects that are nearest in meaning: a real project has hundreds of memories, and the nearest few of them are read.

  python3 train/nearest.py --examples FILE --base FILE --vocab FILE --out FILE
"""
import argparse, json
import numpy as np, torch
from inputs import DEVICE, Encoder, read_examples
from networks import Student, outputs

# Memories of other projects per prompt, of which some are used at a time.
NEAREST = 8


def main():
    ap = argparse.ArgumentParser()
    for name in ('examples', 'base', 'vocab', 'out'):
        ap.add_argument('--' + name, required=True)
    ap.add_argument('--fold', type=int, default=0)
    args = ap.parse_args()
    encode, rows = Encoder(args.vocab), read_examples(args.examples, args.fold)[0]['read']
    model = Student(args.base).to(DEVICE)
    texts = {text: row['project'] for row in rows for text in row['memories']}
    known, projects = list(texts), np.array(list(texts.values()))
    vectors = torch.tensor(outputs(model, 'vector', [encode('vector', text) for text in known]), device=DEVICE)
    prompts = torch.tensor(outputs(model, 'vector', [encode('vector', row['a']) for row in rows]), device=DEVICE)
    own = {name: torch.tensor(np.flatnonzero(projects == name), device=DEVICE) for name in set(projects)}
    found = []
    for row, prompt in zip(rows, prompts):
        near = vectors @ prompt
        near[own[row['project']]] = -1
        found.append(near.topk(NEAREST).indices.tolist())
    with open(args.out, 'w') as file:
        json.dump({'texts': known, 'rows': found}, file)


if __name__ == '__main__':
    main()
