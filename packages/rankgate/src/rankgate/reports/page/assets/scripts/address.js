// What is looked at stands in the address, so that a link leads back to it.

const address = {
  values: new URLSearchParams(location.hash.slice(1)),
  watchers: [],

  get(name) {
    return this.values.get(name) || "";
  },

  // Opening a query is a step that Back undoes; sorting and filtering are not.
  set(changes, step) {
    for (const [name, value] of Object.entries(changes)) {
      if (value) this.values.set(name, value);
      else this.values.delete(name);
    }
    const hash = this.values.toString();
    const target = hash ? `#${hash}` : location.pathname + location.search;
    history[step ? "pushState" : "replaceState"](null, "", target);
  },

  watch(act) {
    this.watchers.push(act);
  },
};

function readAddress() {
  const hash = location.hash.slice(1);
  if (hash && !hash.includes("=")) return;
  address.values = new URLSearchParams(hash);
  address.watchers.forEach((act) => act());
}

addEventListener("popstate", readAddress);
addEventListener("hashchange", readAddress);
