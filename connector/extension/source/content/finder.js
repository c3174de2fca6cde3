/**
 * Finds the video elements of a document and of its shadow roots.
 *
 * Media events do not bubble, but reach capturing listeners: one on the
 * document, and one on each shadow root, because media events do not leave it.
 * Each frame has its own finder. Closed shadow roots are opened by the
 * browser's function for extensions; without it, videos in them are not found.
 *
 * No event announces a new shadow root. The finder searches for them when the
 * page has changed or the user has acted, at most as often as the time budget
 * allows, and never while nothing happens.
 */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** The events by which video elements are found. */
  const FOUND_BY = ["loadedmetadata", "playing", "timeupdate"];
  /** Elements that can have a shadow root, besides custom elements. */
  const HOSTS = new Set([
    "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3",
    "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span",
  ]);
  /** Least milliseconds between two searches. */
  const LEAST = 1000;
  /** At most one part in this many of the time is spent on searches. */
  const SHARE = 800;
  /** How many searches are measured. The quickest counts, because a busy machine makes single ones slow. */
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
      const root = /** @type {any} */ (element).openOrClosedShadowRoot; // Firefox
      if (root !== undefined) return root;
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

    /** @returns {(Document | ShadowRoot)[]} the document, and the shadow roots that were found in it */
    get roots() {
      return this.#trees.map((one) => one.deref()).filter((one) => one !== undefined).filter(({ isConnected }) => isConnected);
    }

    /** Starts with the document. */
    begin() {
      this.#enter(document);
      this.search();
    }

    /** Searches as soon as the budget allows. */
    soon() {
      if (this.#timer !== null) return;
      const wait = Math.max(LEAST, this.#next - performance.now());
      this.#timer = setTimeout(() => this.search(), wait);
    }

    /** Searches the document and every shadow root in it, and lets the tracker read the page. */
    search() {
      clearTimeout(this.#timer);
      this.#timer = null;
      const began = performance.now();
      own.jsonld.note(document, own.place.name());
      this.#tracker.handleChange();
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
     * Listens to a document or shadow root.
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

    /** Follows a video element that is new. @param {unknown} target */
    #found(target) {
      if (!(target instanceof HTMLVideoElement) || this.#watches.has(target)) return;
      this.#watches.set(target, new own.watch.Watch(target, this.#tracker));
    }
  }

  own.finder = { Finder };
})();
