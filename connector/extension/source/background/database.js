/**
 * The extension's database. Content scripts cannot reach it, which is why the
 * token lives here and not in storage.local.
 *
 * events: what has happened and is not settled, by seq; done: ids of the
 * latest events the daemon has; kept: single values by name.
 */
const VERSION = 1;

/**
 * @param {IDBFactory} factory
 * @param {string} name
 * @returns {Promise<IDBDatabase>}
 */
function connect(factory, name) {
  return new Promise((resolve, reject) => {
    const request = factory.open(name, VERSION);
    request.onupgradeneeded = () => {
      const db = request.result;
      const events = db.createObjectStore("events", { keyPath: "seq", autoIncrement: true });
      events.createIndex("id", "id", { unique: true });
      events.createIndex("state", ["state", "seq"]);
      db.createObjectStore("done", { keyPath: "seq", autoIncrement: true }).createIndex("id", "id");
      db.createObjectStore("kept");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * The answer to one request.
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
export function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

export class Database {
  #factory;
  #name;
  /** @type {Promise<IDBDatabase> | null} */
  #open = null;

  /**
   * @param {IDBFactory} [factory]
   * @param {string} [name]
   */
  constructor(factory = indexedDB, name = "filmspool") {
    this.#factory = factory;
    this.#name = name;
  }

  /** @returns {Promise<IDBDatabase>} */
  #connection() {
    this.#open ??= connect(this.#factory, this.#name).then(
      (db) => {
        const forget = () => {
          this.#open = null;
        };
        db.onclose = forget; // the browser has closed it, for example to clear data
        db.onversionchange = () => {
          db.close();
          forget();
        };
        return db;
      },
      (error) => {
        this.#open = null;
        throw error;
      },
    );
    return this.#open;
  }

  /**
   * Runs work in one transaction and resolves once it is on disk. The work may
   * await requests of this transaction and nothing else. If it throws, nothing
   * has happened.
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {string[]} stores
   * @param {(tx: IDBTransaction) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async run(mode, stores, work) {
    const db = await this.#connection();
    const tx = db.transaction(stores, mode, { durability: mode === "readwrite" ? "strict" : "default" });
    const finished = new Promise((resolve, reject) => {
      tx.oncomplete = () => resolve(undefined);
      tx.onabort = () => reject(tx.error ?? new Error("the database gave up"));
    });
    finished.catch(() => {}); // it is awaited below, unless the work itself has failed
    try {
      const result = await work(tx);
      await finished;
      return result;
    } catch (error) {
      try {
        tx.abort();
      } catch {
        // It has ended already.
      }
      throw error;
    }
  }

  /**
   * @param {string} name
   * @returns {Promise<any>} undefined when nothing is kept
   */
  read(name) {
    return this.run("readonly", ["kept"], (tx) => answer(tx.objectStore("kept").get(name)));
  }

  /**
   * Changes what is kept under a name, in one transaction.
   * @param {string} name
   * @param {(value: any) => any} change undefined deletes
   */
  async update(name, change) {
    await this.run("readwrite", ["kept"], async (tx) => {
      const kept = tx.objectStore("kept");
      const value = change(await answer(kept.get(name)));
      if (value === undefined) kept.delete(name);
      else kept.put(value, name);
    });
  }
}
