/**
 * The rules beside this file, in one module. It is made by test/make-rules.js.
 * @type {Record<string, any>}
 */
export const rules = {
  "appletv": {
    "label": "Apple TV",
    "hosts": [
      "tv.apple.com"
    ],
    "watch": [
      {
        "path": "^/(?:[a-z]{2}/)?movie/(?:[^/]+/)?(?<film>umc\\.cmc\\.[0-9a-z]{1,40})(?:[/?#]|$)"
      },
      {
        "path": "^/(?:[a-z]{2}/)?episode/(?:[^/]+/)?(?<episode>umc\\.cmc\\.[0-9a-z]{1,40})\\?(?:[^#]*&)?showId=(?<series>umc\\.cmc\\.[0-9a-z]{1,40})"
      },
      {
        "path": "^/(?:[a-z]{2}/)?episode/(?:[^/]+/)?(?<episode>umc\\.cmc\\.[0-9a-z]{1,40})(?:[/?#]|$)"
      },
      {
        "path": "^/(?:[a-z]{2}/)?show/(?:[^/]+/)?(?<series>umc\\.cmc\\.[0-9a-z]{1,40})(?:[/?#]|$)"
      },
      {
        "path": "^/(?:[a-z]{2})?/?(?:[?#]|$)"
      }
    ],
    "never": [
      "^/(?:[a-z]{2}/)?(?:clip|sporting-event|channel)/"
    ],
    "is": "dialog[data-testid=playback-view][open]",
    "video": {
      "is": "[data-testid=video-container]",
      "not": "amp-background-video"
    },
    "clock": "element",
    "say": [
      {
        "from": "page",
        "name": "[data-testid=player-metadata-title]",
        "place": {
          "selector": "[data-testid=player-metadata-subtitle]",
          "pattern": "^(.*\\d.*)$"
        }
      },
      {
        "from": "page",
        "same": {
          "film": {
            "selector": "meta[name='apple:content_id']",
            "attribute": "content"
          }
        },
        "year": {
          "selector": "meta[property='og:video:release_date']",
          "attribute": "content",
          "pattern": "^(\\d{4})"
        }
      }
    ],
    "bind": "address",
    "numbers": "site",
    "seen": "2026-08-12",
    "source": "two public readers of the addresses and test ids, one with tests",
    "sure": "two"
  },
  "disneyplus": {
    "label": "Disney+",
    "hosts": [
      "www.disneyplus.com"
    ],
    "watch": [
      {
        "path": "^/(?:[a-z]{2}-[a-z]{2}/)?(?:play|video)/(?<title>[0-9a-f-]{36})(?:[/?#]|$)"
      }
    ],
    "ad": ".ad-badge-overlay__content--time-display",
    "upNext": "up-next-lite-v1",
    "clock": {
      "slider": ".progress-bar__seekable-range[role=slider], .progress-bar__thumb[aria-valuemax]"
    },
    "say": [
      {
        "from": "object",
        "alone": "movie"
      },
      {
        "from": "page",
        "name": ".title-field",
        "place": ".subtitle-field"
      },
      {
        "from": "title",
        "pattern": "^(?<name>.+?) \\| Disney\\+$"
      }
    ],
    "bind": "address",
    "numbers": "site",
    "seen": "2026-08-26",
    "source": "five public readers of the same class names over three generations of the player, three of the player's element",
    "sure": "two"
  },
  "hbomax": {
    "label": "HBO Max",
    "hosts": [
      "play.hbomax.com",
      "play.max.com"
    ],
    "watch": [
      {
        "path": "^/(?:[a-z]{2}/)?video/watch/(?<title>[0-9a-f-]{36})(?:[/?#]|$)"
      }
    ],
    "upNext": "button[class*=UpNextButton]",
    "video": {
      "is": "[data-testid=VideoElement]"
    },
    "clock": {
      "slider": "body:has([data-ad-slots]:not([data-ad-slots='[]'])) [data-testid=player-ux-scrubber-position]"
    },
    "say": [
      {
        "from": "page",
        "name": "[data-testid=player-ux-asset-title]",
        "place": "[data-testid=player-ux-season-episode]",
        "title": "[data-testid=player-ux-asset-subtitle]",
        "alone": "movie"
      }
    ],
    "bind": "address",
    "numbers": "site",
    "seen": "2026-08-26",
    "source": "ten public readers of the test ids, one saved page; advertisements in the clock: one",
    "sure": "two"
  },
  "netflix": {
    "label": "Netflix",
    "hosts": [
      "www.netflix.com"
    ],
    "watch": [
      {
        "path": "^/(?:[a-z]{2}(?:-[a-z]{2})?/)?watch/(?<title>\\d{1,16})(?:[/?#]|$)"
      }
    ],
    "never": [
      "^/(?:[a-z]{2}(?:-[a-z]{2})?/)?(?:browse|title|latest)(?:[/?#]|$)"
    ],
    "upNext": "[data-uia*=next-episode], [data-uia=pause-ad-title-display]",
    "video": {
      "is": "[data-uia=watch-video], [data-uia=video-canvas]"
    },
    "clock": "element",
    "say": [
      {
        "from": "object"
      },
      {
        "from": "page",
        "name": [
          "[data-uia=video-title] h4",
          "[data-uia=video-title]"
        ],
        "place": "[data-uia=video-title] h4 ~ span:nth-of-type(1)",
        "title": "[data-uia=video-title] h4 ~ span:nth-of-type(2)",
        "alone": "movie"
      },
      {
        "from": "page",
        "name": "[data-uia=evidence-overlay] h2",
        "place": "[data-uia=evidence-overlay-episode-title]"
      }
    ],
    "bind": "address",
    "numbers": "site",
    "seen": "2026-10-08",
    "source": "six public readers of the player's data-uia names, five of the player object; the pause screen: two",
    "sure": "two"
  },
  "primevideo": {
    "label": "Prime Video",
    "hosts": [
      "www.primevideo.com",
      "www.amazon.com",
      "www.amazon.de",
      "www.amazon.co.uk",
      "www.amazon.co.jp",
      "www.amazon.fr",
      "www.amazon.it",
      "www.amazon.es"
    ],
    "watch": [
      {
        "path": "^/(?:region/[a-z]{2}/|-/[a-z]{2}(?:_[A-Z]{2})?/)?(?:gp/video/)?detail/[0-9A-Z]{10,26}(?:[/?#]|$)"
      },
      {
        "path": "^/(?:gp/video/storefront|(?:[^/]+/)?dp/[0-9A-Z]{10})(?:[/?#]|$)"
      }
    ],
    "is": "[id^=dv-web-player], .atvwebplayersdk-player-container",
    "ad": ".atvwebplayersdk-ad-timer:not(:empty), .atvwebplayersdk-adtimeindicator-text:not(:empty)",
    "upNext": "[class*=nextupcard]",
    "scope": "[id^=dv-web-player], .atvwebplayersdk-player-container",
    "video": {
      "is": ".dv-player-fullscreen",
      "not": ".tst-video-overlay-player-html5"
    },
    "clock": "element",
    "say": [
      {
        "from": "page",
        "name": ".atvwebplayersdk-title-text",
        "place": [
          ".atvwebplayersdk-episode-info",
          ".atvwebplayersdk-subtitle-text"
        ],
        "alone": "movie"
      }
    ],
    "bind": "medium",
    "numbers": "site",
    "seen": "2026-08-26",
    "source": "six public readers of the player's class names; some users have a player without them, where nothing is read",
    "sure": "two"
  }
};
