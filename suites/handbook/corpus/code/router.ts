/** Routing of HTTP calls in the Gateway: patterns, middleware, handlers. */

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A call as handlers see it. */
export interface Call {
  method: Method;
  path: string;
  params: Record<string, string>;
  headers: Record<string, string>;
  body: string;
  scopes: ReadonlySet<string>;
}

/** What is answered. */
export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** Answers calls of one route. */
export interface RouteHandler {
  handle(call: Call): Promise<Reply>;
}

/** Runs around a handler: may answer in its place, or change what it answers. */
export type Middleware = (call: Call, next: () => Promise<Reply>) => Promise<Reply>;

interface Route {
  method: Method;
  segments: string[];
  handler: RouteHandler;
  scope: string | null;
}

/** Thrown for a pattern that is wrong, or that another route has taken. */
export class RouteConflictError extends Error {
  constructor(readonly pattern: string) {
    super(`route ${pattern} is taken`);
    this.name = "RouteConflictError";
  }
}

/** Finds the handler for a call. Of several patterns that fit, the one with the fewest parameters wins. */
export class Router {
  private readonly routes: Route[] = [];
  private readonly middleware: Middleware[] = [];

  /** Register a handler for a pattern such as `/v1/jobs/{id}`. */
  addRoute(method: Method, pattern: string, handler: RouteHandler, scope: string | null = null): this {
    const segments = split(pattern);
    const shape = segments.map((one) => (isParameter(one) ? "{}" : one)).join("/");
    const taken = this.routes.some(
      (route) =>
        route.method === method &&
        route.segments.map((one) => (isParameter(one) ? "{}" : one)).join("/") === shape,
    );
    if (taken) {
      throw new RouteConflictError(`${method} ${pattern}`);
    }
    this.routes.push({ method, segments, handler, scope });
    return this;
  }

  /** Add middleware; what is added first runs outermost. */
  use(middleware: Middleware): this {
    this.middleware.push(middleware);
    return this;
  }

  /** Answer a call: 404 where no path fits, 405 where only the method does not, 403 where a scope is missing. */
  async handleRequest(call: Call): Promise<Reply> {
    const found = this.match(call.method, call.path);
    if (found === null) {
      const others = this.allowedMethods(call.path);
      return others.length === 0
        ? errorReply(404, "not_found", `There is nothing at ${call.path}.`)
        : { ...errorReply(405, "method_not_allowed", others.join(", ")), headers: { Allow: others.join(", ") } };
    }
    if (found.route.scope !== null && !call.scopes.has(found.route.scope)) {
      return errorReply(403, "scope_missing", `The scope ${found.route.scope} is needed.`);
    }
    const routed = { ...call, params: found.params };
    return this.chain(routed, () => found.route.handler.handle(routed));
  }

  /** List the methods that a path can be called with. */
  allowedMethods(path: string): Method[] {
    const segments = split(path);
    const fitting = this.routes.filter((route) => paramsOf(route.segments, segments) !== null);
    return [...new Set(fitting.map((route) => route.method))].sort();
  }

  private match(method: Method, path: string): { route: Route; params: Record<string, string> } | null {
    const segments = split(path);
    let best: { route: Route; params: Record<string, string> } | null = null;
    for (const route of this.routes) {
      const params = route.method === method ? paramsOf(route.segments, segments) : null;
      if (params !== null && (best === null || count(params) < count(best.params))) {
        best = { route, params };
      }
    }
    return best;
  }

  private chain(call: Call, last: () => Promise<Reply>): Promise<Reply> {
    return this.middleware.reduceRight<() => Promise<Reply>>((next, one) => () => one(call, next), last)();
  }
}

/** Middleware that logs each call with its status and how long it took. */
export const accessLog =
  (write: (line: string) => void, now: () => number = Date.now): Middleware =>
  async (call, next) => {
    const started = now();
    const reply = await next();
    write(`${call.method} ${call.path} ${reply.status} ${now() - started}ms`);
    return reply;
  };

/** Make an error in the form that all errors have. */
export function errorReply(status: number, code: string, message: string): Reply {
  return { status, body: { error: { code, message } } };
}

function split(path: string): string[] {
  return path.split("/").filter((one) => one !== "");
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{") && segment.endsWith("}");
}

function count(params: Record<string, string>): number {
  return Object.keys(params).length;
}

function paramsOf(pattern: string[], path: string[]): Record<string, string> | null {
  if (pattern.length !== path.length) {
    return null;
  }
  const params: Record<string, string> = {};
  for (const [at, segment] of pattern.entries()) {
    if (isParameter(segment)) {
      params[segment.slice(1, -1)] = decodeURIComponent(path[at]);
    } else if (segment !== path[at]) {
      return null;
    }
  }
  return params;
}
