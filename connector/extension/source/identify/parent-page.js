/**
 * Joins the session of a frame with the page around it, when that is of another
 * site. Only the background can see both.
 */

/**
 * @typedef {import("../messages.js").SessionReport} SessionReport
 * @typedef {import("../messages.js").Evidence} Evidence
 */

/**
 * @param {SessionReport} session as the frame has sent it
 * @param {{url?: string, host?: string, title?: string, evidence?: Evidence} | null | undefined} page the answer of
 *   the page of the tab to {kind: "page"}, not checked
 * @returns {SessionReport}
 */
export function withParentPage(session, page) {
  if (!page || typeof page.url !== "string" || typeof page.host !== "string") return session;
  const mine = session.evidence;
  const { jsonld, mediaSession, links, attributes, headings, mentions } = page.evidence ?? {};
  return {
    ...session,
    url: page.url,
    host: page.host,
    frameUrl: session.frameUrl ?? session.url,
    title: typeof page.title === "string" ? page.title : session.title,
    evidence: {
      jsonld: [...list(jsonld), ...list(mine.jsonld)].slice(0, 10),
      mediaSession: mine.mediaSession ?? mediaSession ?? null,
      links: [...new Set([...list(links), ...list(mine.links)])].slice(0, 20),
      attributes: { ...mine.attributes, ...attributes },
      provider: mine.provider,
      headings: [...new Set([...list(headings), ...list(mine.headings)])].slice(0, 3),
      mentions: [...new Set([...list(mentions), ...list(mine.mentions)])].slice(0, 4),
      ...(mine.site && { site: mine.site }),
    },
  };
}

/**
 * @param {unknown} value
 * @returns {any[]}
 */
function list(value) {
  return Array.isArray(value) ? value : [];
}
