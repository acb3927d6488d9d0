import CambiumCompiler
import CambiumModel
import Foundation

extension DocumentationEmitter {
    /// The script of the page: search, collapsed entities, and a diagram that can be moved. The page
    /// is complete without it. It contains no text of a model.
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
          const entities = all("section.entity").map((section) => ({
            section,
            details: section.querySelector("details"),
            text: section.textContent.toLowerCase(),
            marks: links.filter((link) => target(link) === "#" + section.id)
              .map((link) => link.closest("li, .node")),
          }));
          const search = () => {
            const words = field.value.toLowerCase().split(/\s+/).filter((word) => word);
            let count = 0;
            for (const entity of entities) {
              const fits = words.every((word) => entity.text.includes(word));
              count += fits ? 1 : 0;
              entity.section.hidden = !fits;
              for (const mark of entity.marks) mark.classList.toggle("miss", !fits);
            }
            found.textContent = words.length ? count + " of " + entities.length : "";
          };
          field.addEventListener("input", search);

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
          addEventListener("beforeprint", () => open(true));
          reveal();

          // The diagram fits its frame, and is moved and zoomed by its view box.
          const picture = document.querySelector("figure svg");
          if (!picture) return;
          const figure = picture.closest("figure");
          const { x, y, width, height } = picture.viewBox.baseVal;
          const largest = 4 / 3;
          figure.classList.add("live");
          picture.removeAttribute("width");
          picture.removeAttribute("height");
          let view;
          let isMoved = false;
          const show = () => picture.setAttribute(
            "viewBox", [view.x, view.y, view.width, view.height].join(" "));
          const fit = () => {
            const used = height * Math.min(figure.clientWidth / width, largest);
            figure.style.height = "min(75vh, " + Math.max(Math.ceil(used) + 16, 320) + "px)";
            const frame = picture.getBoundingClientRect();
            const unit = Math.max(width / frame.width, height / frame.height, 1 / largest);
            view = { width: frame.width * unit, height: frame.height * unit };
            view.x = x + (width - view.width) / 2;
            view.y = y + (height - view.height) / 2;
            isMoved = false;
            show();
          };
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
          fit();
          addEventListener("resize", () => { if (!isMoved) fit() });

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
