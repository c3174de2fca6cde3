/** @type {import("../sites.js").Adapter} */
export default {
  site: "Jellyfin",
  source:
    "Jellyfin's own web client: it is served under /web/, keeps jellyfin_credentials and _deviceId2 in localStorage, " +
    "and asks /Sessions?deviceId=… for what it plays; items carry ProviderIds",
  path: /\/web\/(?:index\.html)?$/,
  provider: "jellyfin",
};
