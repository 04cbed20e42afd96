#!/usr/bin/env python3
"""Writes logistic.txt: what scikit-learn makes of four made-up sets of examples.

Run once, with Debian's python3-sklearn: /usr/bin/python3 tests/golden/logistic.py > tests/golden/logistic.txt

The examples come from a 64-bit linear congruential generator that the C test has too, so that only
answers are recorded: StandardScaler and LogisticRegression(C = 1/penalty) run to convergence, its
weights, the training loss, AUC (two classes) or Micro-F1 on the test part.
"""
import numpy
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss, roc_auc_score
from sklearn.preprocessing import StandardScaler


class Uniform:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2.0**53


def examples(seed, rows, columns, classes, signal):
    """Class by a draw, features uniform on [-1, 1] plus the class's shift, each on a scale of its own."""
    u = Uniform(seed)
    x, y = numpy.empty((rows, columns)), numpy.empty(rows, int)
    for i in range(rows):
        y[i] = int(classes * u.next() * u.next())  # uneven shares
        for c in range(columns):
            shift = signal if c % classes == y[i] else 0.0
            x[i, c] = (2 * u.next() - 1 + shift) * (c + 1)
    return x, y


print("# scikit-learn", sklearn.__version__)
for seed, rows, columns, classes, signal, penalty in [
    (1, 400, 6, 2, 0.5, 1.0),
    (2, 500, 9, 2, 0.2, 100.0),
    (3, 600, 7, 4, 0.6, 1.0),
    (4, 500, 12, 7, 0.8, 10.0),
]:
    x, y = examples(seed, rows, columns, classes, signal)
    train = rows * 4 // 5
    scaler = StandardScaler().fit(x[:train])
    a, b = scaler.transform(x[:train]), scaler.transform(x[train:])
    model = LogisticRegression(C=1 / penalty, solver="newton-cg", tol=1e-10, max_iter=100000).fit(a, y[:train])
    score = (
        roc_auc_score(y[train:], model.decision_function(b))
        if classes == 2
        else f1_score(y[train:], model.predict(b), average="micro")
    )
    print(seed, rows, columns, classes, signal, penalty)
    print("loss", repr(float(log_loss(y[:train], model.predict_proba(a), labels=range(classes)))))
    print("score", repr(float(score)))
    for k in range(len(model.coef_)):
        print(*[repr(float(w)) for w in list(model.coef_[k]) + [model.intercept_[k]]])
