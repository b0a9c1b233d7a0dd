"""What teachers say of the training examples: written by teach.py and train.py, read by train.py."""
import time
import numpy as np
from inputs import more_pairs, parts_of
from networks import outputs


def write_answers(model, encode, train, path):
    began = time.time()
    pairs = lambda task, rows: [encode(task, row['a'], row['b']) for row in rows]
    read = [encode('read', part, text) for row in train['read']
            for part, text in zip(parts_of(row, encode) + [row['a']] * len(row['foreign']), row['memories'] + row['foreign'])]
    np.savez(path, keep=outputs(model, 'keep', pairs('keep', train['keep'])),
             relate=outputs(model, 'relate', pairs('relate', train['relate'] + more_pairs(train['relate']))),
             read=outputs(model, 'read', read)[:, 0])
    print(f'{path}: {time.time() - began:.0f} s', flush=True)


def add_answers(train, paths):
    """Gives each example the mean of what the teachers say, and *relate* pairs that only they have judged."""
    said = [dict(np.load(path)) for path in paths]
    mean = lambda of: np.mean([of(one) for one in said], 0).tolist()
    train['relate'] = train['relate'] + more_pairs(train['relate'])
    for row, sure in zip(train['keep'], mean(lambda one: np.concatenate([1 / (1 + np.exp(-one['keep'][:, :1])), softmax(one['keep'][:, 1:])], -1))):
        row['taught'] = sure
    for row, sure in zip(train['relate'], mean(lambda one: softmax(one['relate']))):
        row['taught'] = sure
    odds, at = mean(lambda one: one['read']), 0
    for row in train['read']:
        end = at + len(row['memories']) + len(row['foreign'])
        row['taught'], at = odds[at:end], end
    assert at == len(odds) and all('taught' in rows[-1] for rows in train.values())


def softmax(logits):
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)
