import CambiumCompiler
import CambiumModel
import Foundation

extension DocumentationEmitter {
    /// The script of the page: search, collapsed entities, and a diagram that can be moved. The
    /// page is complete without it. It contains no text of a model.
    static let script = #"""
        (() => {
          "use strict";
          const all = (selector) => [...document.querySelectorAll(selector)];
          for (const tools of all(".tools")) tools.hidden = false;

          // Search: an entity is found if its section contains every word.
          const field = document.getElementById("search");
          const found = document.getElementById("found");
          const links = all("nav li a, figure a");
          const target = (link) => link.href.baseVal ?? link.getAttribute("href");
          const entities = all("section.entity").map((section) => {
            const own = links.filter((link) => target(link) === "#" + section.id);
            return {
              section,
              details: section.querySelector("details"),
              name: section.querySelector("h2").textContent.toLowerCase(),
              text: section.textContent.toLowerCase(),
              marks: own.map((link) => link.closest("li, .node")),
              node: own.map((link) => link.closest(".node")).find((node) => node),
              destinations: [...section.querySelectorAll('[data-name="Destination"] a')]
                .map(target),
            };
          });
          // The diagram moves to the entities with the words in their names, or else to all.
          let showFound = () => {};
          let best = [];
          const search = () => {
            const words = field.value.toLowerCase().split(/\s+/).filter((word) => word);
            const hits = (key) => entities.filter(
              (entity) => words.every((word) => entity[key].includes(word)));
            const fitting = new Set(hits("text"));
            for (const entity of entities) {
              const fits = fitting.has(entity);
              entity.section.hidden = !fits;
              for (const mark of entity.marks) mark.classList.toggle("miss", !fits);
            }
            const named = hits("name");
            best = words.length ? (named.length ? named : [...fitting]) : [];
            found.textContent = words.length ? fitting.size + " of " + entities.length : "";
            showFound();
          };
          field.addEventListener("input", search);
          field.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" || !best.length) return;
            location.hash = best[0].section.id;
            reveal();
          });

          // Entities open together, and one opens if a link goes to a place in it.
          const open = (isOpen) => { for (const entity of entities) entity.details.open = isOpen };
          for (const button of all("[data-open]")) {
            button.addEventListener("click", () => open(button.dataset.open === "yes"));
          }
          const reveal = () => {
            const place = document.getElementById(location.hash.slice(1));
            const section = place && place.closest("section.entity");
            if (!section) return;
            section.hidden = false;
            section.querySelector("details").open = true;
            place.scrollIntoView();
          };
          addEventListener("hashchange", reveal);
          addEventListener("click", (event) => {
            const link = event.target.closest("a");
            if (link && !event.defaultPrevented && target(link) === location.hash) reveal();
          });
          addEventListener("beforeprint", () => open(true));
          reveal();

          // The diagram is moved and zoomed by its view box. At first it fits its frame. If its
          // text would be too small, it shows the entity with the most relationships instead.
          const picture = document.querySelector("figure svg");
          if (!picture) return;
          const figure = picture.closest("figure");
          const { x, y, width, height } = picture.viewBox.baseVal;
          const largest = 4 / 3;
          const smallest = 0.55;
          const readable = 0.9;
          figure.classList.add("live");
          picture.removeAttribute("width");
          picture.removeAttribute("height");
          let view;
          let isMoved = false;
          const show = () => picture.setAttribute(
            "viewBox", [view.x, view.y, view.width, view.height].join(" "));
          const frame = () => picture.getBoundingClientRect();
          // Shows a point in the middle, or nearby if there is nothing beyond it.
          const look = (at, scale) => {
            const place = (middle, shown, from, length) => shown > length
              ? from + (length - shown) / 2
              : Math.min(Math.max(middle - shown / 2, from), from + length - shown);
            const room = frame();
            view = { width: room.width / scale, height: room.height / scale };
            view.x = place(at.x, view.width, x, width);
            view.y = place(at.y, view.height, y, height);
            show();
          };
          const fitting = () => Math.min(frame().width / width, frame().height / height, largest);
          const fit = () => {
            look({ x: x + width / 2, y: y + height / 2 }, fitting());
            isMoved = false;
          };
          // Shows boxes at a size that can be read. If they are too far apart, it shows the first
          // one, and as much of the others as there is room for.
          const showBoxes = (nodes) => {
            const inverse = picture.getScreenCTM().inverse();
            const boxes = nodes.map((node) => {
              const { left, top, right, bottom } = node.getBoundingClientRect();
              const [from, to] = [new DOMPoint(left, top), new DOMPoint(right, bottom)];
              return [from.matrixTransform(inverse), to.matrixTransform(inverse)];
            });
            const room = frame();
            const span = (axis, boxes) => {
              const from = Math.min(...boxes.map((box) => box[0][axis]));
              const to = Math.max(...boxes.map((box) => box[1][axis]));
              return { middle: (from + to) / 2, length: to - from + 32 };
            };
            const [across, down] = [span("x", boxes), span("y", boxes)];
            const scale = Math.min(room.width / across.length, room.height / down.length,
              Math.max(readable, fitting()));
            if (scale >= smallest) return look({ x: across.middle, y: down.middle }, scale);
            const near = (axis, length) => {
              const first = span(axis, boxes.slice(0, 1));
              const free = Math.max(0, (length / readable - first.length) / 2);
              const sum = boxes.reduce((sum, box) => sum + box[0][axis] + box[1][axis], 0);
              const middle = sum / 2 / boxes.length;
              return Math.min(Math.max(middle, first.middle - free), first.middle + free);
            };
            look({ x: near("x", room.width), y: near("y", room.height) }, readable);
          };
          const start = () => {
            const scale = Math.min(figure.clientWidth / width, largest);
            const used = height * (scale < smallest ? readable : scale);
            figure.style.height = "min(" + (scale < smallest ? 55 : 75) + "vh, "
              + Math.max(Math.ceil(used) + 16, 320) + "px)";
            fit();
            if (fitting() >= smallest) return;
            const drawn = entities.filter((entity) => entity.node);
            drawn.sort((a, b) => b.destinations.length - a.destinations.length);
            const near = drawn.filter(
              (entity) => drawn[0].destinations.includes("#" + entity.section.id));
            showBoxes([drawn[0], ...near].map((entity) => entity.node));
          };
          showFound = () => {
            const nodes = best.map((entity) => entity.node).filter((node) => node);
            if (nodes.length) {
              showBoxes(nodes);
              isMoved = true;
            } else start();
          };
          for (const entity of entities.filter((entity) => entity.node)) {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = "Show in the diagram";
            button.addEventListener("click", () => {
              showBoxes([entity.node]);
              isMoved = true;
              figure.scrollIntoView({ block: "center" });
              figure.focus({ preventScroll: true });
            });
            entity.details.querySelector("summary").after(button);
          }
          const place = (event) => new DOMPoint(event.clientX, event.clientY)
            .matrixTransform(picture.getScreenCTM().inverse());
          const middle = () => ({ x: view.x + view.width / 2, y: view.y + view.height / 2 });
          const move = (right, down) => {
            view.x += right;
            view.y += down;
            isMoved = true;
            show();
          };
          const zoom = (factor, at) => {
            const limited = Math.min(
              Math.max(factor, 100 / view.width), 2 * Math.max(width, height, 500) / view.width);
            view.x = at.x - (at.x - view.x) * limited;
            view.y = at.y - (at.y - view.y) * limited;
            view.width *= limited;
            view.height *= limited;
            isMoved = true;
            show();
          };
          start();
          addEventListener("resize", () => { if (!isMoved) start() });

          const pointers = new Map();
          let isDragging = false;
          picture.addEventListener("pointerdown", (event) => {
            pointers.set(event.pointerId, event);
            if (pointers.size === 1) isDragging = false;
          });
          addEventListener("pointermove", (event) => {
            const before = pointers.get(event.pointerId);
            if (!before) return;
            const [right, down] = [
              event.clientX - before.clientX, event.clientY - before.clientY];
            if (!isDragging && Math.hypot(right, down) < 4) return;
            isDragging = true;
            const other = [...pointers.values()].find((one) => one.pointerId !== event.pointerId);
            if (other) {
              const gap = (one) => Math.hypot(
                one.clientX - other.clientX, one.clientY - other.clientY) + 1;
              zoom(gap(before) / gap(event), place(other));
            } else {
              const unit = view.width / picture.getBoundingClientRect().width;
              move(-right * unit, -down * unit);
            }
            pointers.set(event.pointerId, event);
          });
          for (const end of ["pointerup", "pointercancel"]) {
            addEventListener(end, (event) => pointers.delete(event.pointerId));
          }
          picture.addEventListener("click", (event) => {
            if (isDragging) event.preventDefault();
          }, true);
          picture.addEventListener("dragstart", (event) => event.preventDefault());
          picture.addEventListener("dblclick", (event) => zoom(0.5, place(event)));
          picture.addEventListener("wheel", (event) => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            zoom(Math.exp(event.deltaY / 200), place(event));
          }, { passive: false });
          const actions = {
            "+": () => zoom(0.7, middle()), "-": () => zoom(1 / 0.7, middle()), "0": fit,
            ArrowLeft: () => move(-view.width / 8, 0), ArrowRight: () => move(view.width / 8, 0),
            ArrowUp: () => move(0, -view.height / 8), ArrowDown: () => move(0, view.height / 8),
          };
          figure.addEventListener("keydown", (event) => {
            if (!actions[event.key]) return;
            event.preventDefault();
            actions[event.key]();
          });
          for (const button of all("[data-zoom]")) {
            button.addEventListener("click", () => actions[button.dataset.zoom]());
          }
        })();

        """#

    /// The content security policy of the page. It allows the page's own style, and this script by
    /// its hash.
    static let policy: String = {
        let digits = Array(SHA256.hexadecimal(of: script))
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return "default-src 'none'; style-src 'unsafe-inline'; "
            + "script-src 'sha256-\(Data(bytes).base64EncodedString())'"
    }()
}
