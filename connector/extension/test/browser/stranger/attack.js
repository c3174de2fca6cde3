// What a page, a frame, a content script or another extension can try against
// the daemon. A classic script, so that it loads anywhere; all of it hangs on
// the one name "attack".
(() => {
  const ID = "7d1f4f2e-0c5b-4a58-9a53-2f4b7c9e1d10";
  const VIEWING = { type: "viewing", id: ID, media: { type: "movie", ids: { tmdb: 666 } }, watchedAt: "2026-01-01T20:00:00Z", count: 1,
    source: { site: "evil.example" } };
  const SPEECH = [
    { type: "hello", v: 1, client: { name: "evil", version: "1", browser: "evil" } },
    VIEWING,
    { type: "watchlist", id: ID.replace("7d1f", "7d20"), media: { type: "movie", ids: { tmdb: 666 } } },
    { type: "list", id: ID.replace("7d1f", "7d21"), name: "evil" },
    { type: "status", id: "s" },
  ];

  /** Opens a socket, says all that, and tells what came of it, at the latest after some seconds. */
  const talk = (address, speech = SPEECH) => new Promise((done) => {
    const told = { opened: false, heard: [], code: 0 };
    let socket;
    try {
      socket = new WebSocket(`ws://${address}/v1/connector`, "filmspool.v1");
    } catch (error) {
      done({ ...told, error: String(error) });
      return;
    }
    const late = setTimeout(() => done({ ...told, late: true }), 3000);
    const end = () => {
      clearTimeout(late);
      socket.close();
      done(told);
    };
    socket.onopen = () => {
      told.opened = true;
      for (const words of speech) {
        socket.send(typeof words === "string" || words instanceof Uint8Array ? words : JSON.stringify(words));
      }
    };
    socket.onmessage = ({ data }) => {
      told.heard.push(JSON.parse(data));
      if (told.heard.length === speech.length) {
        end();
      }
    };
    socket.onclose = ({ code }) => {
      told.code = code;
      end();
    };
  });

  /** "reached" when the request went through, and what could be read. */
  const request = async (url, options = {}) => {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(3000), cache: "no-store", ...options });
      return { reached: true, type: answer.type, status: answer.status, text: await answer.text() };
    } catch (error) {
      return { reached: false, error: String(error) };
    }
  };

  globalThis.attack = async (address) => {
    const base = `http://${address}/v1`;
    const body = JSON.stringify(VIEWING);
    const json = { "Content-Type": "application/json", Authorization: "Bearer guess" };
    return {
      socket: await talk(address),
      blindHealth: await request(`${base}/health`, { mode: "no-cors" }),
      health: await request(`${base}/health`),
      control: await request(`${base}/control/status`, { headers: { Authorization: "Bearer guess" } }),
      blindControl: await request(`${base}/control/status`, { mode: "no-cors" }),
      queue: await request(`${base}/control/queue`),
      blindPair: await request(`${base}/control/pair`, { mode: "no-cors", method: "POST", body: "" }),
      viewings: await request(`${base}/viewings`, { method: "POST", body, headers: json }),
      blindViewings: await request(`${base}/viewings`, { mode: "no-cors", method: "POST", body }),
    };
  };
  globalThis.attack.talk = talk;
})();
