/** @type {import("../sites.js").Adapter} */
export default {
  site: "Emby",
  source:
    "Emby's own web client: it is served under /web/, keeps servercredentials3 and _deviceId2 in localStorage; " +
    "its API is that of which Jellyfin's was made: /Sessions?DeviceId=…, items carry ProviderIds",
  path: /\/web\/(?:index\.html)?$/,
  provider: "emby",
};
