"""How well a model answers on projects that it did not see."""
import numpy as np
from inputs import KINDS, RELATIONS, encoded, hash_of, parts_of, sentences_of
from networks import outputs

# Memories of a project that has been used for long, and how many of them the product reads for a prompt.
MANY, READ = 800, 4


def report_on(model, encode, rows, many=False):
    """`many`: reads among many memories too, for a model that makes vectors."""
    reports = {'keep': keep_report, 'relate': relate_report, 'read': read_report}
    written, made = divided(rows)
    found = {task: report(model, encode, written[task]) for task, report in reports.items() if written[task]}
    found |= {f'{task}, made': report(model, encode, made[task]) for task, report in reports.items() if made[task]}
    rows = written
    if many and rows['read']:
        found['read'] |= many_report(model, encode, rows['read'])
    return found


def divided(rows):
    """The written examples, without the second look of *keep*, and those whose memories the product made."""
    some = lambda test: {task: [row for row in rows[task] if test(row)] for task in ('keep', 'relate', 'read')}
    return some(lambda row: 'made' not in row and 'short' not in row), some(lambda row: 'made' in row)


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return round(value, 3) if isinstance(value, float) else value


def clear(rows):
    """Prompts for which a memory may help, but none surely, are left out."""
    return [row for row in rows if 1 in row['labels'] or -1 not in row['labels']]


def keep_report(model, encode, rows):
    out = outputs(model, 'keep', encoded(encode, 'keep', rows))
    at, rows = zip(*sentences_of(rows))
    out = out[list(at)]
    sure = 1 / (1 + np.exp(-out[:, 0]))
    labels = {(row['project'], row['turn'], id) for row in rows for id in row['keeps']}
    busy = {(row['project'], row['turn']) for row in rows if row['keeps']}
    report = {}
    for floor in (.7, .5, .3, .2):
        taken = [i for i in range(len(rows)) if sure[i] > floor]
        found = {(rows[i]['project'], rows[i]['turn'], id) for i in taken for id in rows[i]['keeps']}
        wrong = [i for i in taken if rows[i]['kind'] == 'none']
        right = [i for i in taken if rows[i]['keeps']]
        kind = np.mean([KINDS[out[i, 1:].argmax()] == rows[i]['kind'] for i in right])
        report[f'above {floor}'] = {
            'found': len(found) / len(labels), 'wrong': len(wrong) / len(taken),
            'wrong in turns with nothing': sum((rows[i]['project'], rows[i]['turn']) not in busy for i in wrong) / len(taken),
            'kind right': float(kind), 'labels': len(labels), 'sentences': len(taken)}
    for share in (.2, .3, .4):
        report[f'found at {share:.0%} wrong'] = found_at(share, rows, np.argsort(-sure)) / len(labels)
    return report


def found_at(share, rows, order):
    """Labels found when as many of the best sentences are taken as possible with this share of wrong ones."""
    found, wrong, most = set(), 0, 0
    for taken, i in enumerate(order, 1):
        found |= {(rows[i]['project'], rows[i]['turn'], id) for id in rows[i]['keeps']}
        wrong += rows[i]['kind'] == 'none'
        if wrong <= share * taken:
            most = len(found)
    return most


def relate_report(model, encode, rows):
    out = outputs(model, 'relate', encoded(encode, 'relate', rows))
    sure = np.exp(out - out.max(1, keepdims=True))
    sure /= sure.sum(1, keepdims=True)
    end = sure[:, 2] + sure[:, 3]
    is_end = np.array([row['label'] in ('supersedes', 'resolves') for row in rows])
    report = {f'ends above {floor}': {'found': float((end[is_end] > floor).mean()), 'wrong': float((end[~is_end] > floor).mean()),
                                      'ends': int(is_end.sum()), 'others': int((~is_end).sum())} for floor in (.5, .7, .9)}
    report['right'] = float(np.mean([RELATIONS[best] == row['label'] for best, row in zip(out.argmax(1), rows)]))
    return report


def read_report(model, encode, rows):
    """
    Recall at a given share of prompts that want nothing and get something; the best three of 20 memories count. Prompts
    for which a memory may help, but none surely, are left out.
    """
    rows = clear(rows)
    odds = outputs(model, 'read', [encode('read', part, text) for row in rows for part, text in zip(parts_of(row), row['memories'])])[:, 0]
    per, at = [], 0
    for row in rows:
        per.append(odds[at:at + len(row['memories'])])
        at += len(row['memories'])
    wants = [1 in row['labels'] for row in rows]
    none = sorted((max(x) for x, wanted in zip(per, wants) if not wanted), reverse=True)
    report = {'prompts': len(rows), 'want nothing': len(none)}
    for share in (.03, .05, .10, .15):
        floor = none[int(len(none) * share)]
        met = sum(any(row['labels'][i] == 1 and x[i] > floor for i in np.argsort(-x)[:3]) for row, x, wanted in zip(rows, per, wants) if wanted)
        report[f'recall at {share:.0%} false'] = met / sum(wants)
    return report


def many_report(model, encode, rows):
    """Recall among many memories: the nearest few in meaning of the own ones and of other projects' are read."""
    rows = clear(rows)
    texts = {text: row['project'] for row in rows for text in row['memories']}
    order = sorted(texts, key=lambda text: hash_of(text))
    index = {text: k for k, text in enumerate(texts)}
    vectors = outputs(model, 'vector', [encode('vector', text) for text in texts])
    prompts = outputs(model, 'vector', [encode('vector', row['a']) for row in rows])
    pairs, chosen = [], []
    for row, prompt in zip(rows, prompts):
        others = [text for text in order if texts[text] != row['project']][:MANY - len(row['memories'])]
        pool = row['memories'] + others
        near = vectors[[index[text] for text in pool]] @ prompt
        chosen.append([(row['labels'] + [0] * len(others))[i] for i in np.argsort(-near)[:READ]])
        pairs += [encode('read', row['a'], pool[i]) for i in np.argsort(-near)[:READ]]
    odds = outputs(model, 'read', pairs)[:, 0].reshape(-1, READ)
    wants = np.array([1 in row['labels'] for row in rows])
    floors = sorted(odds[~wants].max(1), reverse=True)
    labels = np.array(chosen)
    report = {'among many: wanted is read': float((labels[wants] == 1).any(1).mean())}
    for share in (.05, .15):
        floor = floors[int(len(floors) * share)]
        report[f'among many: recall at {share:.0%} false'] = float(((odds > floor) & (labels == 1))[wants].any(1).mean())
    return report
