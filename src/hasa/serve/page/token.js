// Bearer tokens, where the server wants them: one to read, one to write. They are kept for this tab alone.
import {button, make, newId} from "./dom.js";

const kReadsByPost = ["/v1/predict", "/v1/score", "/v1/explain"];
const purposeOf = (method, path) => (method === "GET" || kReadsByPost.includes(path) ? "read" : "write");
const keyOf = (purpose) => `hasa-${purpose}-token`;

/// Whoever may write may read: one token will do for both.
export function tokenFor(method, path) {
  const own = sessionStorage.getItem(keyOf(purposeOf(method, path)));
  return own || sessionStorage.getItem(keyOf("read")) || sessionStorage.getItem(keyOf("write"));
}

let asking = null;  // several requests may fail at once, and one answer serves them all

/// Asks whoever sits here; false when there is none to be had.
export function askForToken(method, path) {
  const purpose = purposeOf(method, path);
  asking ??= dialog(purpose, sessionStorage.getItem(keyOf(purpose)) !== null).finally(() => {
    asking = null;
  });
  return asking;
}

function dialog(purpose, wasRefused) {
  const field =
      make("input", {id: newId("token"), type: "password", autocomplete: "off", spellcheck: "false", required: true});
  const writes = purpose === "write";
  return new Promise((answered) => {
    const box = make("dialog", {class: "token", "aria-labelledby": "token-title"},
                     make("form", {
                       method: "dialog",
                       onsubmit: () => {
                         box.returnValue = "given";
                       }
                     },
                          make("h2", {id: "token-title"},
                               writes ? "Changing the graph needs a token" : "This server asks for a token"),
                          make("p", {}, wasRefused ? "The token given does not open it. " : "",
                               `Whoever started it has it in a file: hasa serve --${
                                   purpose}-token-file. It is kept until this tab is closed.`),
                          make("label",
                               { for: field.id
                               },
                               writes ? "Token to write" : "Token to read"),
                          field,
                          make("div", {class: "actions"}, make("button", {class: "main"}, "Continue"),
                               button("Cancel", () => box.close("")))));
    box.addEventListener("close", () => {
      const given = box.returnValue === "given" && field.value.trim() !== "";
      if (given) sessionStorage.setItem(keyOf(purpose), field.value.trim());
      box.remove();
      answered(given);
    });
    document.body.append(box);
    box.showModal();
    field.focus();
  });
}
