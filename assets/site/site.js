// Light and dark, searching, and copying. Without scripts the pages are complete, follow the
// system's colors, and have no search.
(function () {
  "use strict";

  var root = document.documentElement;
  var place = document.currentScript.dataset.root;
  var themes = ["system", "light", "dark"];

  function storedTheme() {
    try {
      return localStorage.getItem("theme") || "system";
    } catch (error) {
      return "system";
    }
  }

  function show(theme) {
    if (theme === "light" || theme === "dark") {
      root.dataset.theme = theme;
    } else {
      delete root.dataset.theme;
    }
  }

  // Before the page is drawn, so that it does not flash.
  show(storedTheme());

  function element(name, attributes, parent) {
    var made = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    if (parent) { parent.append(made); }
    return made;
  }

  // --- Theme ---------------------------------------------------------------------------------------

  function addThemeButton(header) {
    var button = element("button", { type: "button" }, header);
    var theme = storedTheme();
    function label() {
      button.textContent = "Colors: " + theme;
      button.title = "Change between the system's colors, light and dark";
    }
    button.addEventListener("click", function () {
      theme = themes[(themes.indexOf(theme) + 1) % themes.length];
      try {
        localStorage.setItem("theme", theme);
      } catch (error) {
        // The choice then holds for this page.
      }
      show(theme);
      label();
    });
    label();
  }

  // --- Search --------------------------------------------------------------------------------------

  var sections = null;
  var whenLoaded = [];

  // The index calls this.
  window.kettleSearch = function (rows) {
    sections = rows.map(function (row) {
      return {
        page: row[0], title: row[1], link: row[2], kind: row[3], text: row[4],
        head: (row[0] + " " + row[1]).toLowerCase(), body: row[4].toLowerCase()
      };
    });
    whenLoaded.forEach(function (call) { call(); });
  };

  function load(call) {
    if (sections) { return call(); }
    whenLoaded.push(call);
    if (whenLoaded.length === 1) { element("script", { src: place + "/search.js" }, document.head); }
  }

  // What people use comes before what records how it became so.
  var weights = { document: 12, manual: 10, library: 6, record: 0 };

  function score(section, words) {
    var sum = weights[section.kind] || 0;
    for (var index = 0; index < words.length; index += 1) {
      var word = words[index];
      var inHead = section.head.indexOf(word);
      var inBody = section.body.indexOf(word);
      if (inHead < 0 && inBody < 0) { return -1; }
      if (inHead >= 0) { sum += 6; }
      if (section.title.toLowerCase().indexOf(word) >= 0) { sum += 14; }
      if (section.title.toLowerCase().split(/[^a-z0-9-]+/).indexOf(word) >= 0) { sum += 10; }
      if (inBody >= 0) { sum += 2 + Math.min(section.body.split(word).length - 1, 4); }
    }
    return sum;
  }

  function excerpt(section, words) {
    var first = words.map(function (word) { return section.body.indexOf(word); })
      .filter(function (place) { return place >= 0; }).sort(function (a, b) { return a - b; })[0] || 0;
    var start = Math.max(0, first - 60);
    return (start > 0 ? "… " : "") + section.text.slice(start, start + 180) + " …";
  }

  function marked(text, words, parent) {
    var pattern = words.map(function (word) { return word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"); });
    text.split(new RegExp("(" + pattern.join("|") + ")", "i")).forEach(function (part, index) {
      if (index % 2 === 1) {
        element("mark", {}, parent).textContent = part;
      } else {
        parent.append(part);
      }
    });
  }

  function addSearch(header) {
    var form = element("form", { role: "search" }, header);
    var field = element("input", {
      type: "search", placeholder: "Search ( / )", "aria-label": "Search", autocomplete: "off",
      "aria-controls": "results"
    }, form);
    var box = element("div", { "class": "results", id: "results", hidden: "" }, header);
    var count = element("p", { role: "status" }, box);
    var list = element("ol", {}, box);

    function close() { box.hidden = true; }

    function find() {
      var words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      list.replaceChildren();
      box.hidden = words.length === 0;
      if (box.hidden) { return; }
      var found = sections.map(function (section) {
        return { section: section, score: score(section, words) };
      }).filter(function (hit) { return hit.score >= 0; });
      found.sort(function (a, b) { return b.score - a.score; });
      count.textContent = found.length === 0 ? "Nothing found"
        : found.length === 1 ? "1 section" : found.length + " sections";
      var shown = {};
      found.filter(function (hit) {
        // Three of a page are enough to find it.
        shown[hit.section.page] = (shown[hit.section.page] || 0) + 1;
        return shown[hit.section.page] <= 3;
      }).slice(0, 30).forEach(function (hit) {
        var section = hit.section;
        var link = element("a", { href: place + "/" + section.link }, element("li", {}, list));
        var title = section.page === section.title ? section.title
          : section.page + " › " + section.title;
        marked(title, words, link);
        marked(excerpt(section, words), words, element("span", {}, link));
      });
    }

    field.addEventListener("focus", function () { load(function () {}); });
    field.addEventListener("input", function () { load(find); });
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      var first = list.querySelector("a");
      if (first) { first.click(); }
    });
    list.addEventListener("click", close);
    header.addEventListener("keydown", function (event) {
      if (box.hidden) { return; }
      var links = [field].concat(Array.from(list.querySelectorAll("a")));
      var index = links.indexOf(document.activeElement);
      if (event.key === "Escape") {
        close();
        field.focus();
      } else if (event.key === "ArrowDown" && index + 1 < links.length) {
        event.preventDefault();
        links[index + 1].focus();
      } else if (event.key === "ArrowUp" && index > 0) {
        event.preventDefault();
        links[index - 1].focus();
      }
    });
    document.addEventListener("click", function (event) {
      if (!header.contains(event.target)) { close(); }
    });
    document.addEventListener("keydown", function (event) {
      var target = document.activeElement;
      var isTyping = target && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        field.focus();
      }
    });
  }

  // --- Pages ---------------------------------------------------------------------------------------

  function addCopyButtons() {
    if (!navigator.clipboard) { return; }
    document.querySelectorAll("main pre > code.language-sh").forEach(function (code) {
      var block = element("div", { "class": "block" });
      code.parentElement.before(block);
      block.append(code.parentElement);
      var button = element("button", { type: "button" }, block);
      button.textContent = "Copy";
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(code.textContent).then(function () {
          button.textContent = "Copied";
          setTimeout(function () { button.textContent = "Copy"; }, 2000);
        });
      });
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    var header = document.querySelector("header");
    addSearch(header);
    addThemeButton(header);
    addCopyButtons();
    var contents = document.querySelector(".contents");
    if (contents && window.matchMedia("(max-width: 75rem)").matches) { contents.open = false; }
  });
})();
