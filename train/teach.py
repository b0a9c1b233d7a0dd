"""Trains a teacher on a GPU and writes what it says of the training examples, for train.py.

  python3 train/teach.py --examples FILE --base FILE --vocab FILE --near FILE --seed 1 --out FILE

A teacher has twelve layers, which all learn, and reads twice as much of a long prompt.
"""
import argparse, json, random
import torch
from answers import write_answers
from inputs import DEVICE, Encoder, add_nearest, read_examples
from learning import Losses, batches_of, fit
from networks import Teacher
from report import report_on, rounded


def main():
    ap = argparse.ArgumentParser()
    for name in ('examples', 'base', 'vocab', 'near'):
        ap.add_argument('--' + name, required=True)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--epochs', type=float, default=2)
    ap.add_argument('--lr', type=float, default=8e-5)
    ap.add_argument('--fold', type=int, default=0)
    ap.add_argument('--out', default='')
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    rng = random.Random(args.seed)
    encode = Encoder(args.vocab, wide=True)
    train, held, _ = read_examples(args.examples, args.fold)
    add_nearest(train['read'], args.near)
    model = Teacher(args.base).to(DEVICE)
    fit(model, batches_of(train, rng), Losses(encode, rng, others=10, foreign=3), rng, args.lr, args.epochs)
    print(json.dumps(rounded(report_on(model, encode, held))), flush=True)
    if args.out:
        write_answers(model, encode, train, args.out)


if __name__ == '__main__':
    main()
