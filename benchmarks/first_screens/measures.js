// What `just before-after` asks of a page of either version.
window.measured = {
  order: () => [...document.querySelectorAll("main h1, main h2")].filter((one) => one.checkVisibility()).map((one) =>
    `${String(Math.round(one.getBoundingClientRect().top + scrollY)).padStart(6)} px  ${one.innerText.replace(/\s+/g, " ").slice(0, 70)}`).join("\n"),

  links: () => [`chips: ${[...document.querySelectorAll("[data-chip]")].map((one) => one.innerText.replace(/\s+/g, " ")).join(", ")}`,
    `links and buttons in the section of gates: ${document.querySelectorAll("#gates a, #gates button").length}`].join("\n"),

  rows: () => [...document.querySelectorAll(".grid-body .grid-row .cell-query .cell-query")].slice(0, 5).map((one) =>
    `${one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1 ? "cut off:" : "whole:  "} ${one.innerText}`).join("\n"),

  categories: () => document.querySelector("#slices").innerText.split("\n").map((line) => line.trim()).filter(Boolean).slice(0, 24).join(" · "),

  inTable: () => document.activeElement.id === "filter" || document.activeElement.classList.contains("grid"),

  opened: () => !document.getElementById("panel").hidden,
};
