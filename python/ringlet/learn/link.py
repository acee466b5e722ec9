# SPDX-License-Identifier: Apache-2.0
"""What the client does with decrypted scores: labels and probabilities, in the clear."""

from __future__ import annotations

import itertools
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KINDS = ("regression", "binary", "classes", "labels", "votes")


@dataclass(frozen=True)
class Link:
    """What follows the scores of a model.

    - kind: "regression"; "binary", with one score for the second class; "classes", with a score
      for each; "labels", each 0 or 1 by its own score; "votes", with a score for each pair.
    - columns: names of the columns of scores.
    - labels: the classes, and their dtype.
    - is_flat: whether a regression has results of shape (rows,).
    - has_probabilities: whether sigmoid or softmax of the scores are probabilities.
    - is_probability: whether scores are probabilities already.
    - shape: votes: "ovr" or "ovo", the shape of the decision function.
    - breaks_ties: votes: whether confidences decide between classes of equal votes.
    """

    kind: str
    columns: list[Any]
    labels: list[Any]
    dtype: str = "float64"
    is_flat: bool = False
    has_probabilities: bool = False
    is_probability: bool = False
    shape: str = "ovr"
    breaks_ties: bool = False

    @staticmethod
    def regression(count: int, is_flat: bool) -> Link:
        """Returns the link of a regression with `count` results."""
        columns = ["prediction"] if count == 1 else [f"prediction {i}" for i in range(count)]
        return Link("regression", columns, [], is_flat=is_flat)

    @staticmethod
    def classes(classes: Any, *, has_probabilities: bool) -> Link:
        """Returns the link of a classifier with a score for each class, or one for two classes."""
        labels = np.asarray(classes)
        kind, columns = "classes", labels.tolist()
        if len(labels) == 2:
            kind, columns = "binary", [columns[1]]
        dtype = str(labels.dtype)
        return Link(kind, columns, labels.tolist(), dtype, has_probabilities=has_probabilities)

    @staticmethod
    def labels_of(classes: Any, *, has_probabilities: bool) -> Link:
        """Returns the link of a classifier whose classes do not exclude each other."""
        labels = np.asarray(classes).tolist()
        return Link("labels", labels, labels, "int64", has_probabilities=has_probabilities)

    @staticmethod
    def votes(model: Any) -> Link:
        """Returns the link of an SVC with three classes or more."""
        labels = np.asarray(model.classes_)
        columns = [f"{a} or {b}" for a, b in itertools.combinations(labels.tolist(), 2)]
        link = Link("votes", columns, labels.tolist(), str(labels.dtype))
        shape = model.decision_function_shape
        return replace(link, shape=shape, breaks_ties=bool(model.break_ties))

    @staticmethod
    def described(description: Any) -> Link:
        """Returns the link of `description()`. Raises ValueError or TypeError for another one."""
        link = Link(**description)
        count = len(np.array(link.labels, link.dtype))
        scores = {"binary": 1, "votes": count * (count - 1) // 2}.get(link.kind, count)
        if link.kind not in _KINDS or link.kind != "regression" and len(link.columns) != scores:
            raise ValueError("a link of no model")
        return link

    def description(self) -> dict[str, Any]:
        """Returns the link as JSON has it."""
        return asdict(self)

    @property
    def slope(self) -> float:
        """Largest change of a probability, for scores that change by at most 1."""
        if self.is_probability:
            return 1.0
        return 0.5 if self.kind == "classes" else 0.25

    def decision(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[Any]]:
        """Returns the decision function of scores of shape (rows, columns), and its columns."""
        if self.is_probability:
            raise InvalidArgument(
                "learn.Client.decision_function", "a model with probabilities='server'",
                "models whose client gets scores", "use predict_proba or predict",
            )  # fmt: skip
        if self.kind == "votes" and self.shape == "ovr":
            return self._votes(scores, confidence=True), self.labels
        if self.kind == "binary" or (self.kind == "regression" and self.is_flat):
            return scores[:, 0], self.columns
        return scores, self.columns

    def predict(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Returns the labels, or the numbers of a regression."""
        if self.kind == "regression":
            return scores[:, 0] if self.is_flat else scores
        threshold = 0.5 if self.is_probability else 0.0
        if self.kind == "labels":
            return (scores > threshold).astype(np.int64)
        if self.kind == "binary":
            chosen = (scores[:, 0] > threshold).astype(np.int64)
        elif self.kind == "votes":
            chosen = self._votes(scores, confidence=self.breaks_ties).argmax(1)
        else:
            chosen = scores.argmax(1)
        return np.array(self.labels, self.dtype)[chosen]

    def probabilities(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[Any]]:
        """Returns the probability of each class, shape (rows, classes), and the classes.

        Raises InvalidArgument for models without probabilities.
        """
        if not self.has_probabilities:
            raise InvalidArgument(
                "learn.Client.predict_proba", "a model without probabilities",
                "LogisticRegression and MLPClassifier", "use decision_function or predict",
            )  # fmt: skip
        if self.kind == "classes":
            powers = np.exp(scores - scores.max(1, keepdims=True))
            return powers / powers.sum(1, keepdims=True), self.labels
        if self.is_probability:
            positive = scores.clip(0, 1)
        else:  # The sigmoid, as a tanh that overflows nowhere.
            positive = 0.5 + 0.5 * np.tanh(scores / 2)
        if self.kind == "labels":
            return positive, self.labels
        return np.hstack([1 - positive, positive]), self.labels

    def _votes(self, scores: NDArray[np.float64], confidence: bool) -> NDArray[np.float64]:
        """Returns the votes of the pairs for each class, with a fraction for the confidence."""
        count = len(self.labels)
        votes, sums = np.zeros((2, len(scores), count))
        for pair, (i, j) in enumerate(itertools.combinations(range(count), 2)):
            votes[:, i] += scores[:, pair] >= 0
            votes[:, j] += scores[:, pair] < 0
            sums[:, i] += scores[:, pair]
            sums[:, j] -= scores[:, pair]
        return votes + sums / (3 * (abs(sums) + 1)) if confidence else votes
