// SPDX-License-Identifier: Apache-2.0
// Weights of the site's search: guides above the reference, derivations last.
var Scorer = {
  score: ([page, , , , score]) => {
    const places = [
      [/^(index|install|howto|course|concepts)/, 2],
      [/^(reference|examples)/, 0.5],
      [/^(notes|measured\/|hw|CHANGELOG)/, 0.25],
    ];
    const place = places.find(([pattern]) => pattern.test(page));
    return score * (place ? place[1] : 1);
  },
  objNameMatch: 11,
  objPartialMatch: 2,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
