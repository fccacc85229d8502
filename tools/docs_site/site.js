// Search without a server: the index is a script that is loaded when somebody begins to type.
"use strict";
const input = document.querySelector(".search input");
const found = document.getElementById("found");
const menu = document.querySelector(".menu");
if (matchMedia("(max-width: 48rem)").matches) menu.open = false;
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest" });

let loading;
function load() {
  loading ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = SITE_ROOT + "search-index.js";
    script.onload = done;
    document.head.append(script);
  });
  return loading;
}

// One spelling for all: regularization is regularisation, semi-supervised is semi supervised.
function plain(text) {
  return text.toLowerCase().replaceAll("iz", "is").replaceAll("-", " ");
}

// A word in a heading counts most, then one in the title, then one in the text; every word must be somewhere. All words
// one after another count more than words here and there, and more often is better. tests/docs/test_words.py has the same rule.
function score(row, words, all) {
  const [, title, heading, text] = row.map(plain);
  let sum = 0;
  for (const word of words) {
    const points = (heading.includes(word) ? 8 : 0) + (title.includes(word) ? 4 : 0) + (text.includes(word) ? 1 : 0);
    if (!points) return 0;
    sum += points + (heading === word || heading.endsWith("." + word) ? 20 : 0);
  }
  return sum + (heading.includes(all) ? 8 : 0) + 2 * Math.min(3, text.split(all).length - 1);
}

function excerpt(text, word) {
  const at = Math.max(0, plain(text).indexOf(word) - 30);
  return (at ? "… " : "") + text.slice(at, at + 110);
}

async function search() {
  const words = plain(input.value).split(/\s+/).filter(Boolean);
  found.replaceChildren();
  found.hidden = !words.length;
  if (!words.length) return;
  await load();
  const best = SEARCH.map((row) => [score(row, words, words.join(" ")), row]).filter(([points]) => points);
  best.sort((a, b) => b[0] - a[0]);
  for (const [, [address, title, heading, text]] of best.slice(0, 12)) {
    const link = document.createElement("a");
    link.href = SITE_ROOT + address;
    link.textContent = heading === title ? title : `${title} › ${heading}`;
    const small = document.createElement("small");
    small.textContent = excerpt(text, plain(text).includes(words.join(" ")) ? words.join(" ") : words[0]);
    link.append(small);
    const item = document.createElement("li");
    item.append(link);
    found.append(item);
  }
  if (!best.length) found.append("Nothing found");
}

input.addEventListener("input", search);
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") found.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape") found.hidden = true;
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) found.hidden = true;
});
