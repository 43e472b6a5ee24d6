"""The shell commands that do harm: each rule is a test of a command's name and arguments."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import Final

from copilot_ws.labs.danger.verdict import Rule
from copilot_ws.labs.danger.words import names

Test = Callable[[str, list[str]], bool]

WRAPPERS: Final = frozenset(
    names(
        """
    ash at bash batch builtin busybox chroot command dash doas env eval exec find flock ionice ksh nice nohup
    nsenter openvt parallel pkexec runuser script setpriv setsid sh ssh start-stop-daemon stdbuf strace su sudo
    systemd-run taskset time timeout toybox unshare watch xargs zsh
    """
    )
)
"""Commands that run the command in their arguments."""

UNTELLABLE: Final = Rule("dangerous", "Names its command by a pattern or a variable, so what it runs cannot be told.")

_SERVICES: Final = re.compile(
    r"(?:network.*|systemd-networkd|ssh|sshd|frr|zebra|bird|quagga|dropbear|getty.*|serial-getty.*)(?:\.service)?"
)
_STOPPING: Final = ("stop", "disable", "mask", "kill")
_SYSTEM_PATH: Final = re.compile(r"/|/\*|/\.\*?|/[\w.-]+/?\*?|~|\.|\*")
_SYSTEM_FILE: Final = re.compile(
    r"(?:/{1,2}|(?:\.\./)+)(?:dev|etc|boot|bin|sbin|usr|lib\w*|[^/]*[*?\[][^/]*)(?:/.*)?", re.S
)
_SINK: Final = re.compile(r"/dev/(?:null|std|tty|fd).*", re.S)
_SAVED_AS: Final = re.compile(r"(?:^|\s)(?:-[a-z0-9]*[op]|--(?:out|dir)[a-z-]*)[=\s]?(\S+)")
_CLOSING: Final = re.compile(r"(?:^|\s)(?:-[jg]|--jump|--goto)[=\s]?(?:drop|reject)\b")
_ADDING: Final = re.compile(r"(?:^|\s)(?:-[air]|--(?:app|ins|rep))")
_UNROUTED: Final = ("blackhole", "unreachable", "prohibit", "throw")
_EVERYWHERE: Final = ("default", "0/0", "0.0.0.0/0", "::/0", "all")


def _options(arguments: list[str]) -> str:
    """All one-letter options, as one string."""
    return "".join(word[1:] for word in arguments if word.startswith("-") and not word.startswith("--"))


def _values(arguments: list[str]) -> list[str]:
    return [word for word in arguments if not word.startswith("-")]


def _is_system_file(word: str) -> bool:
    """Whether a path is in a directory that the system is made of, at any depth."""
    return bool(word) and bool(_SYSTEM_FILE.fullmatch(posixpath.normpath(word)))


def _harms_when_written(word: str) -> bool:
    return _is_system_file(word) and not _SINK.fullmatch(posixpath.normpath(word))


def _restarts(name: str, arguments: list[str]) -> bool:
    if name == "shutdown":
        return "-c" not in arguments
    if name in ("init", "telinit"):
        return bool(arguments) and arguments[0] in ("0", "1", "6", "s")
    if name in ("systemctl", "loginctl"):
        actions = ("reboot", "poweroff", "halt", "kexec", "rescue", "emergency", "isolate", "suspend", "hibernate")
        return any(word in actions for word in arguments)
    return name in ("reboot", "halt", "poweroff", "kexec", "switch_root", "pivot_root", "sulogin")


def _removes(name: str, arguments: list[str]) -> bool:
    if name in ("find", "xargs"):
        return "-delete" in arguments or any(word.rsplit("/", 1)[-1] in ("rm", "unlink") for word in arguments)
    if name not in ("rm", "unlink"):
        return name in ("shred", "srm")
    long = any(word in ("--recursive", "--no-preserve-root") for word in arguments)
    if name == "rm" and (long or "r" in _options(arguments)):
        return True
    return any(_SYSTEM_PATH.fullmatch(word) or _is_system_file(word) for word in _values(arguments))


def _wrecks_disks(name: str, arguments: list[str]) -> bool:
    if name == "dd":
        return any(word.startswith("of=") and _harms_when_written(word[3:]) for word in arguments)
    return name.startswith(("mkfs", "mke2fs")) or name in (
        "fdisk",
        "sfdisk",
        "cfdisk",
        "gdisk",
        "sgdisk",
        "parted",
        "wipefs",
        "blkdiscard",
        "mkswap",
        "vgremove",
        "lvremove",
        "pvremove",
        "cryptsetup",
    )


def _overwrites(name: str, arguments: list[str]) -> bool:
    values = _values(arguments)
    if name == "tee":
        return any(_harms_when_written(word) for word in values)
    if name in ("truncate", "sed"):
        return any(_harms_when_written(word) for word in values) and ("i" in _options(arguments) or name == "truncate")
    if name in ("wget", "curl"):
        return any(_harms_when_written(found[1]) for found in _SAVED_AS.finditer(" ".join(arguments)))
    return name in ("cp", "mv", "ln", "install", "rsync") and any(map(_harms_when_written, _targets(name, arguments)))


def _targets(name: str, arguments: list[str]) -> list[str]:
    """What a command that copies writes to."""
    values = _values(arguments)
    named = [word.partition("=")[2] for word in arguments if word.startswith("--t")]
    attached = [word[2:] for word in arguments if word.startswith("-t")]
    all_of_them = name == "mv" or (name != "rsync" and ("t" in _options(arguments) or bool(named)))
    return [*named, *attached, *(values if all_of_them else values[-1:])]


def _cuts_links(name: str, arguments: list[str]) -> bool:
    if name == "ip":
        return _ip(arguments)
    if name == "ifconfig":
        return "down" in arguments
    if name in ("nmcli", "networkctl"):
        return any(word in ("off", "down", "delete", "disconnect") for word in arguments)
    if name in ("brctl", "ovs-vsctl"):
        return any(word in ("delbr", "delif", "del-br", "del-port") for word in arguments)
    if name == "route":
        return arguments[:1] in (["del"], ["flush"]) or arguments[:1] == ["-f"]
    return name in ("ifdown", "ifquery-down")


def _ip(arguments: list[str]) -> bool:
    options = [word.replace("--", "-", 1) for word in arguments if word.startswith("-")]
    if any(word == "-b" or (len(word) > 2 and "-batch".startswith(word)) or word == "-force" for word in options):
        return True
    values = _values(arguments)
    return any(_ip_verb(values[at:]) for at in range(1 + sum(map(_takes_value, options))))


def _takes_value(option: str) -> bool:
    """Of `ip`. In lower case, an option may also be one that takes none: both is tried."""
    return len(option) > 1 and any(name.startswith(option) for name in ("-netns", "-family", "-rcvbuf", "-loops"))


def _ip_verb(words: list[str]) -> bool:
    kind, verb, *rest = (*words, "", "")
    if not kind or not verb:
        return False
    if "link".startswith(kind):
        sets = "set".startswith(verb) or "change".startswith(verb)
        return "delete".startswith(verb) or (sets and ("down" in rest or "netns" in rest))
    if "address".startswith(kind) or "rule".startswith(kind) or "route".startswith(kind):
        default = "route".startswith(kind) and any(word in _EVERYWHERE for word in rest)
        adds = any(name.startswith(verb) for name in ("add", "append", "prepend", "change", "replace"))
        nowhere = adds and any(word in _UNROUTED for word in rest)
        return "flush".startswith(verb) or (default and (nowhere or "delete".startswith(verb)))
    return "netns".startswith(kind) and "delete".startswith(verb)


def _opens_firewall(name: str, arguments: list[str]) -> bool:
    if name in ("iptables", "ip6tables", "iptables-legacy", "iptables-nft", "ebtables", "arptables"):
        options = _options(arguments)
        empties = "f" in options or ("x" in options and "l" not in options)
        text = " ".join(arguments)
        closes = "p" in options and ("drop" in arguments or "reject" in arguments)
        closes = closes or bool(_ADDING.search(text) and _CLOSING.search(text))
        return empties or closes or any(word in ("--flush", "--delete-chain", "--policy") for word in arguments)
    if name == "nft":
        return "flush" in arguments or "delete" in arguments
    return name == "ufw" and any(word in ("disable", "reset", "enable") for word in arguments)


def _stops_services(name: str, arguments: list[str]) -> bool:
    if name in ("systemctl", "service", "rc-service", "rc-update", "update-rc.d", "invoke-rc.d"):
        hit = any(_SERVICES.fullmatch(word) for word in arguments)
        return hit and any(word in (*_STOPPING, "del", "remove") for word in arguments)
    return bool(_SERVICES.fullmatch(name)) and any(word in _STOPPING for word in arguments)


def _kills(name: str, arguments: list[str]) -> bool:
    if name in ("killall", "killall5", "pkill"):
        return True
    return name == "kill" and bool(arguments) and (arguments[-1] == "-1" or "1" in _values(arguments))


def _changes_owners(name: str, arguments: list[str]) -> bool:
    if name not in ("chmod", "chown", "chgrp", "setfacl"):
        return False
    recursive = "r" in _options(arguments) or "--recursive" in arguments
    return recursive and any(_SYSTEM_PATH.fullmatch(word) for word in _values(arguments))


def _runs_code(name: str, arguments: list[str]) -> bool:
    language = re.fullmatch(r"(?:python|perl|ruby|lua|node|php|awk)[\d.]*", name)
    if name in ("source", ".") or (name in ("sh", "bash") and "-s" in arguments):
        return True
    return bool(language) and name != "awk" and any(letter in _options(arguments) for letter in "ce")


def _takes_logins(name: str, arguments: list[str]) -> bool:
    if name in ("passwd", "usermod"):
        long = any(word.startswith(("--lock", "--delete", "--expire")) for word in arguments)
        return long or "l" in _options(arguments) or (name == "passwd" and "d" in _options(arguments))
    return name in ("userdel", "deluser", "groupdel") or (name == "crontab" and "-r" in arguments)


def _takes_file_systems(name: str, arguments: list[str]) -> bool:
    if name == "umount":
        everything = "a" in _options(arguments) or "--all" in arguments
        return everything or any(word == "/" or _is_system_file(word) for word in _values(arguments))
    settings = re.split(r"[\s,=]+", " ".join(arguments).replace("-o", " "))
    return name == "mount" and "remount" in settings and any(word in ("ro", "-r", "--read-only") for word in settings)


def _removes_software(name: str, arguments: list[str]) -> bool:
    if name == "dpkg" and any(word in ("-r", "-p", "--remove", "--purge") for word in arguments):
        return True
    verbs = ("remove", "purge", "autoremove", "autopurge", "erase")
    return name in ("apt", "apt-get", "aptitude", "dpkg", "yum", "dnf") and any(word in verbs for word in arguments)


RULES: Final[tuple[tuple[Test, Rule], ...]] = (
    (_restarts, Rule("dangerous", "Restarts or stops the machine.")),
    (_removes, Rule("dangerous", "Removes files, with all that is below them.")),
    (_wrecks_disks, Rule("dangerous", "Overwrites or divides a disk; what was on it is lost.")),
    (_overwrites, Rule("dangerous", "Overwrites a disk or a file of the system.")),
    (_cuts_links, Rule("dangerous", "Cuts the machine off: an interface, its addresses or its routes go.")),
    (_opens_firewall, Rule("dangerous", "Empties or closes the firewall.")),
    (_stops_services, Rule("dangerous", "Stops a service that the machine is reached or routed by.")),
    (_kills, Rule("dangerous", "Ends processes that the machine or others need.")),
    (_changes_owners, Rule("dangerous", "Changes who may use files all over the system.")),
    (_runs_code, Rule("dangerous", "Runs a program text, which may do anything.")),
    (_takes_logins, Rule("dangerous", "Takes logins or planned jobs away.")),
    (_takes_file_systems, Rule("dangerous", "Takes file systems away, or lets nothing be written on them.")),
    (_removes_software, Rule("dangerous", "Removes software that the machine may need.")),
)
