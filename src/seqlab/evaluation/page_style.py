"""The looks of the report page: one style sheet, light and dark, with colours that colour-blind readers tell apart."""

from __future__ import annotations

# Blue for right, vermilion for wrong (the Okabe-Ito palette); wrong labels are also underlined and marked, so colour
# is never the only sign.
STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fbfbfa; --card: #ffffff; --ink: #1d2126; --faint: #626a73; --line: #dfe2e5;
  --blue: #0b5cad; --heat: 11 92 173; --wrong: #b3400a; --wrong-paper: #fdeee5; --bar: #7fb2e3; --same: #eceef0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --card: #1c2026; --ink: #e7eaed; --faint: #9aa3ac; --line: #31373e;
    --blue: #6db3f2; --heat: 42 122 205; --wrong: #ff9d66; --wrong-paper: #3a2418; --bar: #3f7fbd; --same: #272c33;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.75rem 0 .35rem; }
p { margin: .25rem 0 .9rem; max-width: 46rem; }
.faint { color: var(--faint); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(12.5rem, 1fr)); gap: .75rem; margin: 1.5rem 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem; }
.card b { display: block; font-size: 1.75rem; line-height: 1.25; font-weight: 650; font-variant-numeric: tabular-nums; }
.card.main { border-color: var(--blue); box-shadow: inset 0 3px 0 var(--blue); }
.card b small { font-size: 1rem; font-weight: 500; color: var(--faint); }
.card span { color: var(--faint); font-size: .85rem; }
.range { position: relative; height: .35rem; margin: .45rem 0 .25rem; background: var(--same); border-radius: .2rem; }
.range i { position: absolute; top: 0; bottom: 0; min-width: 3px; background: var(--blue); border-radius: .2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.scores { background: var(--card); border: 1px solid var(--line); }
.scores th, .scores td { padding: .28rem .8rem; text-align: right; border-bottom: 1px solid var(--line); }
.scores thead th { font-weight: 500; color: var(--faint); font-size: .85rem; }
.scores th[scope=row] { text-align: left; font-weight: 500; min-width: 8rem; max-width: 22rem;
  overflow-wrap: anywhere; }
.scores tbody + tbody tr:first-child > * { border-top: 2px solid var(--line); }
.scores thead th:first-child { text-align: left; }
.scores .figure { min-width: 6rem; background: linear-gradient(var(--bar), var(--bar)) no-repeat .4rem calc(100% - 1px);
  background-size: calc((100% - .8rem) * var(--share)) 3px; }
.heat th { font-weight: 500; font-size: .8rem; color: var(--faint); padding: 0 .5rem; text-align: right;
  white-space: nowrap; }
.heat thead th { height: 7rem; vertical-align: bottom; padding: 0 0 .3rem; text-align: left; }
.heat thead span { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg); max-height: 9rem;
  overflow: hidden; text-overflow: ellipsis; }
.heat th[scope=row] { max-width: 12rem; overflow: hidden; text-overflow: ellipsis; }
.heat td { width: 2.7rem; min-width: 2.7rem; height: 2rem; text-align: center; font-size: .78rem;
  border: 1px solid var(--paper); background: rgb(var(--heat) / var(--share, 0)); }
.heat td.same { background: var(--same); color: var(--faint); }
.heat td.deep { color: #fff; }
.heat caption { caption-side: bottom; text-align: left; color: var(--faint); font-size: .85rem; padding-top: .5rem; }
.sentence { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .6rem .9rem .8rem;
  margin: .75rem 0; }
.sentence header { color: var(--faint); font-size: .82rem; margin-bottom: .4rem; overflow-wrap: anywhere; }
.tokens { display: flex; flex-wrap: wrap; gap: .3rem .2rem; }
.token { padding: .1rem .35rem .15rem; border-radius: .3rem; text-align: center; line-height: 1.3; max-width: 100%; }
.token bdi { display: block; overflow-wrap: anywhere; white-space: pre-wrap; }
.token small { display: block; font-size: .72rem; color: var(--faint); overflow-wrap: anywhere; }
.token.wrong { background: var(--wrong-paper); outline: 1px solid var(--wrong); }
.token.wrong bdi { font-weight: 650; }
.token.wrong small { color: var(--ink); }
.token.wrong small + small { color: var(--wrong); font-weight: 650; text-decoration: underline;
  text-underline-offset: 2px; }
.gap { color: var(--faint); align-self: center; padding: 0 .3rem; }
details summary { cursor: pointer; color: var(--blue); margin: .5rem 0; }
@media print { .sentence, .card { break-inside: avoid; } }
"""
