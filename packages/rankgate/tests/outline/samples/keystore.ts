import { readFile } from "node:fs/promises";

export interface Key<T = string> extends Named {
  readonly value: T;
  rotate(times?: number): Promise<void>;
  (call: string): void;
}

export type Keys = Map<string, Key>;

export enum State {
  Active,
  Retired = "retired",
}

const enum Small { One }

/** Not part of the definition. */
@sealed
@component({
  selector: "store",
})
export class Store<T> implements Disposable {
  static #count = 0;
  private keys: Keys = new Map();

  handle = (event: Event): void => {
    this.put(event.type);
  };

  constructor(private readonly name: string) {}

  @logged
  @retried(3)
  async put(key: string): Promise<void> {
    const inner = () => key;
    function local() {
      return inner();
    }
    local();
  }

  get size(): number {
    return this.keys.size;
  }

  set size(value: number) {}

  #hidden() {}

  *[Symbol.iterator]() {
    yield 1;
  }
}

export abstract class Base {
  abstract load(): void;
  protected stop() {}
}

export function open(name: string): Store<string>;
export function open(name: number): Store<string>;
export function open(name: unknown): Store<string> {
  return new Store(String(name));
}

export const close = async (store: Store<string>): Promise<void> => {
  await store.put("größer");
};

const twice = function (value: number) {
    return value * 2;
  },
  thrice = (value: number) => value * 3;

export namespace Tools.Deep {
  export function grind(): void {}
  export const sift = () => 1;
  interface Hidden {}
}

declare module "plain" {
  function foreign(): void;
}

declare function ambient(value: string): number;

declare class Outside {
  method(): void;
}

export default function () {
  return readFile("x");
}

const table = {
  first() {},
  second: () => 2,
  third: 3,
};

let value = 1;
