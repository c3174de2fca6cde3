/**
 * The sittings of which the user has said "Not this": the page's own
 * identifier is not believed for them, and the user is asked.
 */
const NAME = "wrong";
const MOST = 50;

export class WrongBook {
  #database;

  /** @param {{read(name: string): Promise<any>, write(name: string, value: any): Promise<void>}} database */
  constructor(database) {
    this.#database = database;
  }

  /** @param {string} sitting its id */
  async has(sitting) {
    return ((await this.#database.read(NAME)) ?? []).includes(sitting);
  }

  /** @param {string} sitting its id */
  async add(sitting) {
    const all = (await this.#database.read(NAME)) ?? [];
    await this.#database.write(NAME, [...all.filter((/** @type {string} */ one) => one !== sitting), sitting].slice(-MOST));
  }
}
