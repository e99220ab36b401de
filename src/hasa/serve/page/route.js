// Where one is stands in the address behind "#", so that every question and every entity can be linked to:
//   #/entity/<id>   #/ask?head=<id>&relation=<id>   #/graph/<id>?open=<ids>   #/add   #/run

export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view, ...rest] = path.split("/");
  return {view: view || "start", id: decoded(rest.join("/")), params: new URLSearchParams(query)};
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }  // an address typed by hand
}

/// Parameters that are empty are left out.
export function link(view, id = "", params = {}) {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== "" && value !== null &&
                                                                      value !== undefined && value !== false));
  const text = query.toString();
  return `#/${view}${id === "" ? "" : "/" + encodeURIComponent(id)}${text === "" ? "" : "?" + text}`;
}

export const toEntity = (id) => link("entity", id);
export const toGraph = (id) => link("graph", id);

export function go(address) { location.hash = address; }

/// Another address for what is shown already: nothing is drawn anew, and Back goes past it.
export function retitle(address) { history.replaceState(null, "", address); }
