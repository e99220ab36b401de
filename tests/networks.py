"""Networks for tests: a switch with a machine's worth of network namespace at each port, whose cable can be pulled."""

import shutil
import subprocess


class NoNetworks(Exception):
    """This machine lets us make none; says why."""


def _run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise NoNetworks(f"{' '.join(command)}: {done.stderr.strip()}")


class Network:
    """Hosts 10.77.0.1, 10.77.0.2, ... in namespaces of their own, inside a user namespace, so that no root is needed."""

    def __init__(self, hosts):
        self.holders = []  # processes that keep a namespace alive: the switch's, then the hosts'
        for program in ("ip", "unshare", "nsenter"):
            if shutil.which(program) is None:
                raise NoNetworks(f"there is no program {program}")
        try:
            self._hold("unshare", "--user", "--map-root-user", "--net")
            self._inside(0, "ip", "link", "add", "switch", "type", "bridge")
            self._inside(0, "ip", "link", "set", "switch", "up")
            for host in range(hosts):
                self._hold(*self._entering(0), "unshare", "--net")
                self._inside(0, "ip", "link", "add", f"port{host}", "type", "veth", "peer", "name", "cable", "netns", str(self.holders[-1].pid))
                self._inside(0, "ip", "link", "set", f"port{host}", "master", "switch", "up")
                self._inside(host + 1, "ip", "link", "set", "lo", "up")
                self._inside(host + 1, "ip", "address", "add", f"{self.address(host)}/24", "dev", "cable")
                self._inside(host + 1, "ip", "link", "set", "cable", "up")
        except NoNetworks:
            self.close()
            raise

    def _hold(self, *namespaces):
        # It says when it is there, and lives as long as its input.
        holder = subprocess.Popen([*namespaces, "sh", "-c", "echo here; cat >/dev/null"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.holders.append(holder)
        if holder.stdout.readline() != "here\n":
            raise NoNetworks(f"{' '.join(namespaces)}: {holder.stderr.read().strip()}")

    def _entering(self, holder):
        return ["nsenter", "--target", str(self.holders[holder].pid), "--user", "--net", "--preserve-credentials"]

    def _inside(self, holder, *command):
        _run(*self._entering(holder), *command)

    @staticmethod
    def address(host):
        return f"10.77.0.{host + 1}"

    def on(self, host):
        """What to put before a command that is to run on the host."""
        return self._entering(host + 1)

    def cut(self, host):
        """Pulls the cable: packets are lost, and nobody is told."""
        self._inside(0, "ip", "link", "set", f"port{host}", "nomaster")

    def mend(self, host):
        self._inside(0, "ip", "link", "set", f"port{host}", "master", "switch")

    def close(self):
        for holder in reversed(self.holders):
            holder.stdin.close()
            holder.wait()
            holder.stdout.close()
            holder.stderr.close()
        self.holders = []
