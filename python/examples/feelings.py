# %% [markdown]
# # From triples to answers: the feelings of WordNet
#
# `hasa` learns from a graph and the texts of its entities, and predicts the links that are missing. This page does all
# of it in a few seconds, on some four hundred feelings. Editors that know `# %%` show it as a notebook; it is an
# ordinary script as well.

# %%
import numpy as np

import hasa

# %% [markdown]
# ## A graph
# Triples come from files of any common format, such as `hasa.import_graph("triples.tsv", "graphs/mine",
# text="texts.tsv")`. Here they come from WordNet, which `tools/setup.sh` has installed. A part of the triples is kept
# for validation and testing.

# %%
graph = hasa.import_graph("wordnet:feeling", "graphs/feelings", valid=0.1, test=0.1)
print(graph)
head, relation, tail = graph.triples("train")[0]
print(graph.entities[head].name, "|", graph.relations[relation].text, "|", graph.entities[tail].name)
print(graph.entities[head].description)

# %% [markdown]
# ## Training
# Options are a dict; what is left out has a default (docs/config.md). Here a small language model reads the texts once,
# and what is trained stands on its vectors. `on_epoch` hears of each epoch: a place for a progress bar, or for an
# exception where things go wrong.

# %%
def report(epoch):
    if epoch["epoch"] % 10 == 0:
        print(f"epoch {epoch['epoch']}: loss {epoch['loss']:.2f}, validation MRR {epoch['valid']['all']['mrr']:.3f}")


run = hasa.train({"model.dim": 128, "device": "cpu"}, graph=graph, out="runs/feelings", on_epoch=report)
print(run)

# %% [markdown]
# ## Questions
# Give two of head, relation and tail, and the third is asked for. `known` says where a link is known from; `None` marks
# what the model has come up with.

# %%
answers = run.predict(head="homesickness", relation="hypernym", top=5)
for answer in answers:
    print(f"{answer.score:.3f}  {answer.known or 'new':5}  {answer.name}")

# %% [markdown]
# Many questions at once are answered together, which is much quicker than one by one.

# %%
names = ["panic", "joy", "envy"]
for name, best in zip(names, run.predict_many([(name, "hypernym", None) for name in names], top=1)):
    print(f"{name} is a kind of {best[0].name}")

# %% [markdown]
# ## Something that the graph does not have
# The model reads texts, so it can be asked about a text that it has never seen.

# %%
text = "fear of missing out: a worried feeling that other people are having fun without you"
guesses = run.predict(head_text=text, relation="hypernym", top=5)
print([guess.name for guess in guesses])

# %% [markdown]
# ## Vectors
# `embeddings` is the model's own memory, not a copy; row i belongs to `entities[i]`. `encode()` puts texts among them.

# %%
vectors = run.embeddings / np.linalg.norm(run.embeddings, axis=1, keepdims=True)
nearest = np.argsort(-vectors @ vectors[run.entities.number("homesickness")])[1:5]
print([run.entities[i].name for i in nearest])

# %% [markdown]
# ## How good is it?
# The test triples are asked from both ends, among all entities; the model has not seen them.

# %%
scores = hasa.evaluate(run)
print(f"MRR {scores['all']['mrr']:.3f}, in the first ten {scores['all']['hits@10']:.0%}, of {scores['all']['queries']} questions")
