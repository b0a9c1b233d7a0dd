"""Trains the small model on a GPU and reports on projects that it did not see.

  python3 train/train.py --examples FILE --base FILE --vocab FILE --near FILE [--begin FILE] [--out FILE] [--check FILE] [--figures FILE]

It learns *keep*, *relate* and *read* together. Projects are held out by the hash of their name (--fold); group t is held out always and is never used to choose anything. The same
seed gives the same data order; the GPU's sums may differ in the last digits.
"""
import argparse, gzip, json, random
import numpy as np, torch
from inputs import DEVICE, Encoder, add_nearest, batch, encoded, projects_in, read_examples, sentences_of, texts_of
from learning import Batches, Losses, fit
from networks import Student, outputs
from report import report_on, rounded

# Share of the held-out labels that *keep* finds at a probability of 0.5.
FOUND = .7


def arguments():
    ap = argparse.ArgumentParser()
    ap.add_argument('--examples', required=True, help='from examples.ts')
    ap.add_argument('--base', required=True, help="the base's graph, or what base.py packed")
    ap.add_argument('--vocab', required=True)
    ap.add_argument('--near', required=True, help='from nearest.py')
    ap.add_argument('--epochs', type=float, default=5)
    ap.add_argument('--lr', type=float, default=2e-4)
    ap.add_argument('--drop', type=float, default=.2)
    ap.add_argument('--own', type=int, default=3, help='layers of our own')
    ap.add_argument('--ranks', default='16,8,12', help='ranks of the changes: of all tasks in the lower layers, of *read* in the lower and in our own layers; 0: none')
    ap.add_argument('--mean', type=float, default=.999, help='decay of the running mean of the weights, which is the result; 0: the last weights')
    ap.add_argument('--others', type=int, default=14, help='memories of the own project that a prompt of *read* is compared with')
    ap.add_argument('--foreign', type=int, default=4, help='memories of other projects that it is compared with too')
    ap.add_argument('--agree', type=float, default=1., help='weight of the difference between two answers with different dropout; 0: one answer')
    ap.add_argument('--begin', default='', help='learnt weights to begin with; of several files, separated by commas, their mean')
    ap.add_argument('--tasks', default='keep,relate,read', help='what is learnt, for an experiment')
    ap.add_argument('--seed', type=int, default=2)
    ap.add_argument('--fold', type=int, default=0, help='the fifth of the projects that is held out; -1: none')
    ap.add_argument('--share', type=float, default=1., help='share of the training projects that is used')
    ap.add_argument('--blind', action='store_true', help='report on group t too, once, for the model that ships')
    ap.add_argument('--out', default='', help='the learnt weights')
    ap.add_argument('--check', default='', help='inputs with the outputs of the model, for export.py')
    ap.add_argument('--figures', default='', help='the report, as JSON; without it there is none')
    return ap.parse_args()


def mean_of(paths):
    files = [np.load(path) for path in paths]
    return {name: torch.tensor(np.mean([file[name].astype(np.float32) for file in files], 0)) for name in files[0].files}


def save(model, path):
    if path:
        learnt = {name: value for name, value in model.state_dict().items() if not name.startswith('base.')}
        np.savez(path, **{name: value.half().cpu().numpy() for name, value in learnt.items()})


@torch.no_grad()
def calibrate(model, encode, rows):
    """Moves the odds of *keep* until FOUND of the labels have a sentence above 0.5, so that thresholds mean the same for every model."""
    best = {}
    odds = outputs(model, 'keep', encoded(encode, 'keep', rows))[:, 0]
    for i, unit in sentences_of(rows):
        for id in unit['keeps']:
            label = unit['project'], id
            best[label] = max(best.get(label, -30), odds[i])
    model.keep.bias[0] -= float(np.quantile(list(best.values()), 1 - FOUND))


@torch.no_grad()
def write_check(model, encode, rows, path):
    """Some inputs with what the model says of them in 32 bit."""
    pick = random.Random(7)
    model.eval()
    out = []
    for task in ('keep', 'relate', 'read', 'vector'):
        for row in pick.sample(rows['relate' if task == 'vector' else task], 200):
            b = {'read': lambda: pick.choice(row['memories']), 'vector': lambda: ''}.get(task, lambda: row.get('b'))()
            one = encoded(encode, 'keep', [row])[0] if task == 'keep' else encode(task, row['a'], b)
            values = model(task, *batch([one], task))
            texts = {'about': row['about'], 'sentences': row['sentences'], 'spans': one[2]} if task == 'keep' else {'a': row['a'], 'b': b}
            out.append({'task': task, **texts, 'ids': one[0], 'types': one[1], 'out': [round(float(x), 5) for x in values.flatten()]})
    with gzip.open(path, 'wt') as file:
        json.dump(out, file)


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    encode = Encoder(args.vocab)
    train, held, blind = read_examples(args.examples, args.fold, args.share)
    add_nearest(train['read'], args.near)
    divided = {'train': projects_in(train), 'held out': projects_in(held), 'blind': projects_in(blind)}
    train = {task: train[task] for task in args.tasks.split(',')}
    counts = {task: len(rows) for task, rows in train.items()}
    print('projects', divided, flush=True)
    model = Student(args.base, args.own, [int(rank) for rank in args.ranks.split(',')], args.drop).to(DEVICE)
    if args.begin:
        model.load_state_dict(mean_of(args.begin.split(',')), strict=False)
    encode.learn(texts_of(train))
    epoch_of = lambda n: Batches(train, encode, args.seed * 1000 + n, args.others, args.foreign)
    if args.epochs:
        fit(model, epoch_of, Losses(args.agree), args.lr, args.epochs, args.mean, lambda: save(model, args.out))
    if held['keep']:
        calibrate(model, encode, [row for row in held['keep'] if 'short' not in row])
    save(model, args.out)
    if args.figures:
        figures = rounded({
            'projects': divided,
            'examples': counts,
            'held out': report_on(model, encode, held, many=True),
            'blind': report_on(model, encode, blind, many=True) if args.blind else {},
        })
        print(json.dumps(figures, indent=1))
        with open(args.figures, 'w') as file:
            json.dump(figures, file, indent=1)
    if args.check:
        write_check(model, encode, held, args.check)


if __name__ == '__main__':
    main()
