"use strict";

const fs = require("fs");

/** Not part of the definition. */
class Store extends Map {
  static create() {
    return new Store();
  }

  #hidden() {}

  handle = () => {};

  get size() {
    return super.size;
  }

  async *each() {
    yield* this.values();
  }
}

function open(name) {
  function local() {}
  return local(name);
}

async function load() {}

function* steps() {}

const close = (store) => store.clear();
var old = function named() {};
let count = 0;

exports.rotate = function (key) {
  return key;
};

module.exports.stop = () => {};

Store.prototype.legacy = function () {
  return "größer";
};

const api = {
  get(key) {
    return key;
  },
  put: async (key) => key,
  remove: function () {},
  limit: 10,
};

module.exports = {
  open,
  start() {},
  finish: () => {},
};

if (count) {
  function conditional() {}
}

export class Page {}

export default class {
  render() {
    return <div onClick={() => open("x")}>text</div>;
  }
}
