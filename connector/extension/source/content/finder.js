/**
 * Finds the video elements of a document and of the shadow trees in it.
 *
 * Media events do not bubble, but are seen on their way down: by a listener
 * on the document, and by one on each shadow tree, since they never leave
 * it. Frames have a finder of their own. A closed shadow tree is opened by
 * the browser's own door for extensions where it has one; where it has none,
 * what plays in a closed tree cannot be seen.
 *
 * Nothing tells when a shadow tree is attached. Trees are looked for when
 * the page has changed or the user has acted, never more often than the
 * budget allows, and never while nothing happens.
 */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** Events by which an element is found. */
  const FOUND_BY = ["loadedmetadata", "playing", "timeupdate"];
  /** Elements other than custom ones that can have a shadow tree. */
  const HOSTS = new Set([
    "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3",
    "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span",
  ]);
  /** Least milliseconds between two searches. */
  const LEAST = 1000;
  /** One part of the time in this many is spent searching. */
  const SHARE = 800;
  /** On a busy machine one search seems slow, so the quickest of so many counts. */
  const COUNTED = 3;
  const MOST_ELEMENTS = 50_000;
  const MOST_ROOTS = 500;

  /**
   * @param {Element} element
   * @returns {ShadowRoot | null}
   */
  function shadowOf(element) {
    if (element.shadowRoot) return element.shadowRoot;
    try {
      const door = /** @type {any} */ (element).openOrClosedShadowRoot; // Firefox
      if (door !== undefined) return door;
      const api = /** @type {any} */ (globalThis.browser ?? globalThis.chrome);
      return api?.dom?.openOrClosedShadowRoot?.(element) ?? null; // Chromium
    } catch {
      return null;
    }
  }

  class Finder {
    /** @type {WeakSet<Node>} */
    #roots = new WeakSet();
    /** @type {WeakRef<Document | ShadowRoot>[]} */
    #trees = [];
    /** @type {WeakMap<Element, any>} */
    #watches = new WeakMap();
    /** @type {any} */
    #timer = null;
    #next = 0;
    /** @type {number[]} milliseconds that the last searches took */
    #took = [];
    #tracker;
    #observer;

    /** @param {any} tracker */
    constructor(tracker) {
      this.#tracker = tracker;
      this.#observer = new MutationObserver(() => this.soon());
    }

    /** @returns {(Document | ShadowRoot)[]} the document, and the shadow trees that were found in it */
    get roots() {
      return this.#trees.map((one) => one.deref()).filter((one) => one !== undefined).filter(({ isConnected }) => isConnected);
    }

    /** Begins with the document. */
    begin() {
      this.#enter(document);
      this.search();
    }

    /** Something happened: search when the budget allows. */
    soon() {
      if (this.#timer !== null) return;
      const wait = Math.max(LEAST, this.#next - performance.now());
      this.#timer = setTimeout(() => this.search(), wait);
    }

    /** Searches the document and every shadow tree in it. */
    search() {
      clearTimeout(this.#timer);
      this.#timer = null;
      const began = performance.now();
      own.jsonld.note(document, own.place.name());
      this.#tracker.glance();
      const budget = { elements: MOST_ELEMENTS };
      this.#search(document, budget);
      const ended = performance.now();
      this.#took = [...this.#took, ended - began].slice(-COUNTED);
      this.#next = ended + Math.min(...this.#took) * SHARE;
    }

    /**
     * @param {Document | ShadowRoot} root
     * @param {{elements: number}} budget
     */
    #search(root, budget) {
      for (const element of root.querySelectorAll("*")) {
        if (--budget.elements < 0) return;
        const name = element.localName;
        if (name === "video") this.#found(element);
        else if (name.includes("-") || HOSTS.has(name)) {
          const tree = shadowOf(element);
          if (tree && this.#enter(tree)) this.#search(tree, budget);
        }
      }
    }

    /**
     * @param {Document | ShadowRoot} root
     * @returns {boolean} false when there are too many
     */
    #enter(root) {
      if (this.#roots.has(root)) return true;
      if (this.#trees.length >= MOST_ROOTS) return false;
      this.#roots.add(root);
      this.#trees.push(new WeakRef(root));
      for (const type of FOUND_BY) root.addEventListener(type, (event) => this.#found(event.target), { capture: true, passive: true });
      this.#observer.observe(root, { childList: true, subtree: true });
      return true;
    }

    /** @param {unknown} target */
    #found(target) {
      if (!(target instanceof HTMLVideoElement) || this.#watches.has(target)) return;
      this.#watches.set(target, new own.watch.Watch(target, this.#tracker));
    }
  }

  own.finder = { Finder };
})();
