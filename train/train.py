"""Trains the small model on a GPU and reports on projects that it did not see.

  python3 train/train.py --examples FILE --base FILE --vocab FILE --near FILE [--begin FILE] [--out FILE] [--check FILE] [--figures FILE]

It learns *keep*, *relate* and *read* together. Projects are held out by the hash of their name (--fold); group t is held out always and is never used to choose anything. The same
seed gives the same data order; the GPU's sums may differ in the last digits.
"""
import argparse, gzip, json, random
import numpy as np, torch
from inputs import DEVICE, Encoder, add_nearest, batch, encoded, projects_in, read_examples, sentences_of, spans_of
from learning import Losses, batches_of, fit
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
    ap.add_argument('--epochs', type=float, default=4.5)
    ap.add_argument('--twice', default='', help='a task whose examples count twice')
    ap.add_argument('--lr', type=float, default=2e-4)
    ap.add_argument('--drop', type=float, default=.2)
    ap.add_argument('--own', type=int, default=3, help='layers of our own')
    ap.add_argument('--rank', type=int, default=16, help='rank of the changes that the tasks make to the lower layers; 0: none')
    ap.add_argument('--mean', type=float, default=.999, help='decay of the running mean of the weights, which is the result; 0: the last weights')
    ap.add_argument('--others', type=int, default=14, help='memories of the own project that a prompt of *read* is compared with')
    ap.add_argument('--foreign', type=int, default=4, help='memories of other projects that it is compared with too')
    ap.add_argument('--agree', type=float, default=1., help='weight of the difference between two answers with different dropout; 0: one answer')
    ap.add_argument('--begin', default='', help='learnt weights to begin with')
    ap.add_argument('--tasks', default='keep,relate,read', help='what is learnt, for an experiment')
    ap.add_argument('--seed', type=int, default=2)
    ap.add_argument('--fold', type=int, default=0, help='the fifth of the projects that is held out; -1: none')
    ap.add_argument('--share', type=float, default=1., help='share of the training projects that is used')
    ap.add_argument('--blind', action='store_true', help='report on group t too, once, for the model that ships')
    ap.add_argument('--out', default='', help='the learnt weights')
    ap.add_argument('--check', default='', help='inputs with the outputs of the model, for export.py')
    ap.add_argument('--figures', default='', help='the report as JSON')
    return ap.parse_args()


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
            values = model(task, *batch([one]), *([spans_of([one])] if task == 'keep' else []))
            texts = {'about': row['about'], 'sentences': row['sentences'], 'spans': one[2]} if task == 'keep' else {'a': row['a'], 'b': b}
            out.append({'task': task, **texts, 'ids': one[0], 'types': one[1], 'out': [round(float(x), 5) for x in values.flatten()]})
    with gzip.open(path, 'wt') as file:
        json.dump(out, file)


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    rng = random.Random(args.seed)
    encode = Encoder(args.vocab)
    train, held, blind = read_examples(args.examples, args.fold, args.share)
    add_nearest(train['read'], args.near)
    divided = {'train': projects_in(train), 'held out': projects_in(held), 'blind': projects_in(blind)}
    train = {task: train[task] for task in args.tasks.split(',')}
    counts = {task: len(rows) for task, rows in train.items()}
    print('projects', divided, flush=True)
    model = Student(args.base, args.own, args.rank, args.drop).to(DEVICE)
    if args.begin:
        model.load_state_dict({name: torch.tensor(value).float() for name, value in np.load(args.begin).items()}, strict=False)
    loss_of = Losses(encode, rng, args.others, args.foreign, args.agree)
    fit(model, batches_of(train, rng, args.twice), loss_of, rng, args.lr, args.epochs, args.mean)
    if held['keep']:
        calibrate(model, encode, held['keep'])
    if args.out:
        learnt = {name: value for name, value in model.state_dict().items() if not name.startswith('base.')}
        np.savez(args.out, **{name: value.half().cpu().numpy() for name, value in learnt.items()})
    figures = rounded({
        'projects': divided,
        'examples': counts,
        'held out': report_on(model, encode, held, many=True),
        'blind': report_on(model, encode, blind, many=True) if args.blind else {},
    })
    print(json.dumps(figures, indent=1))
    if args.figures:
        with open(args.figures, 'w') as file:
            json.dump(figures, file, indent=1)
    if args.check:
        write_check(model, encode, held, args.check)


if __name__ == '__main__':
    main()
