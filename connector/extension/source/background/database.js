/**
 * Wraps the IndexedDB database of the extension. The token is stored here and
 * not in storage.local, because content scripts cannot reach IndexedDB.
 *
 * Object stores: events holds events that the daemon has not acknowledged, by
 * seq; done holds the ids of the latest finished events; kept holds single
 * values by name.
 */
const VERSION = 1;

/**
 * Opens the database, and creates it if needed.
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
 * Waits for the result of a request.
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
   * await only requests of this transaction. If it throws, the transaction is
   * rolled back.
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
      tx.onabort = () => reject(tx.error ?? new Error("the transaction was aborted"));
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
   * @returns {Promise<any>} the value stored under the name, or undefined
   */
  read(name) {
    return this.run("readonly", ["kept"], (tx) => answer(tx.objectStore("kept").get(name)));
  }

  /**
   * Changes the value stored under a name, in one transaction.
   * @param {string} name
   * @param {(value: any) => any} change returns the new value, or undefined to delete it
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
