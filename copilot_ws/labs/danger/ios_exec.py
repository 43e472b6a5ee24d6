"""The exec commands of IOS and its relatives, and what each of them does."""

from __future__ import annotations

from typing import Final

from copilot_ws.labs.danger.verdict import READS, Rule
from copilot_ws.labs.danger.words import Vocabulary, names, vocabulary

NAMES: Final = names(
    """
    access-enable access-profile access-template alps archive atmsig attach autoinstall bfd calendar call
    call-home cd clear clns clock cns configure connect copy crypto ct-isdn debug delete dir disable
    disconnect do dot1x emm enable eou erase ethernet event exit format fsck guestshell help hw-module
    install ip isdn issu l2 license lock login logout macro microcode mkdir modemui monitor more mpls mrinfo
    mrm mstat mtrace name-connection ncia no ntp pad partition ping ppp pwd radius redundancy release reload
    rename renew request resume rlogin rmdir rsh sap send service-module set setup show slip snmp software
    squeeze ssh standby start-chat switch systat tarp tclquit tclsh telnet template terminal test tn3270
    traceroute tunnel udld undebug undelete upgrade verify vlan vtp waas webvpn where which-route who write x28
    x3
    """
)
"""They make abbreviations ambiguous, whatever they do."""

READING: Final[dict[Rule, tuple[str, ...]]] = {
    READS: ("show", "ping", "traceroute", "terminal length|width", "dir", "verify", "write terminal"),
}
DANGEROUS: Final[dict[Rule, tuple[str, ...]]] = {
    Rule("dangerous", "Restarts the device; what was not saved is lost."): (
        "reload",
        "reboot",
        "restart",
        "hw-module <any> <any> reload|reset|shutdown",
        "hw-module <any> reload|reset|shutdown",
        "redundancy reload",
        "service-module <any> reload|reset|shutdown",
    ),
    Rule("dangerous", "Erases the saved configuration: the device starts empty next time."): (
        "write erase",
        "erase startup-config|nvram:",
    ),
    Rule("dangerous", "Puts the device back to how it left the factory; all configuration is lost."): (
        "factory-reset",
        "write default",
    ),
    Rule("dangerous", "Destroys files on the device; they cannot be brought back."): (
        "erase",
        "format",
        "delete",
        "squeeze",
        "partition",
        "rmdir",
        "fsck",
        "archive download-sw|upload-sw|tar",
    ),
    Rule("dangerous", "Moves or replaces a file: the device may not find what it starts from."): (
        "rename",
        "undelete",
    ),
    Rule("dangerous", "Overwrites the saved configuration with something else than the running one."): (
        "copy <any> startup-config|nvram:",
        "configure overwrite-network",
        "write core",
    ),
    Rule("dangerous", "Replaces the whole running configuration."): (
        "configure replace|revert",
        "rollback",
    ),
    Rule("dangerous", "Drops routing sessions; routes are gone until they come back."): (
        "clear ip bgp|eigrp|isis|rip",
        "clear bgp|eigrp|isis",
        "clear ip ospf process",
        "clear ip ospf <any> process",
        "clear ipv6 ospf|eigrp|rip",
        "clear ip route *",
        "clear mpls ldp",
    ),
    Rule("dangerous", "Ends connections that are in use."): ("clear line|tcp|crypto|vpdn|session",),
    Rule("dangerous", "Turns on all debugging: the device may stop answering."): ("debug all",),
    Rule("dangerous", "Crashes the device."): ("test crash",),
    Rule("dangerous", "Destroys keys: what logs in or encrypts with them stops."): ("crypto key zeroize",),
    Rule("dangerous", "Hands control to the standby processor; sessions drop."): (
        "redundancy force-switchover|switch-activity",
        "switch <any> renumber|priority",
    ),
    Rule("dangerous", "Replaces the device's software and may restart it."): (
        "upgrade",
        "install",
        "issu",
        "software",
        "microcode",
    ),
    Rule("dangerous", "Changes what the device is licensed for."): ("license",),
    Rule("dangerous", "Runs a program on the device, which may do anything."): (
        "tclsh",
        "guestshell",
        "event manager run",
        "request",
        "macro",
        "bash",
    ),
    Rule("dangerous", "Writes on the terminals of everyone who is logged in."): ("send",),
    Rule("dangerous", "Locks the terminal until someone enters a password."): ("lock",),
}
CHANGING: Final[dict[Rule, tuple[str, ...]]] = {
    Rule("changing", "Calls off a planned restart."): ("reload cancel",),
    Rule("changing", "Saves the running configuration."): (
        "write",
        "write memory|network",
        "copy running-config startup-config|nvram:",
    ),
    Rule("changing", "Copies a file."): ("copy",),
    Rule("changing", "Merges a file into the running configuration."): (
        "copy <any> running-config",
        "copy startup-config running-config",
        "configure memory|network",
    ),
    Rule("changing", "Enters configuration mode."): ("configure", "configure terminal|confirm"),
    Rule("changing", "Refreshes routing without dropping a session."): (
        "clear ip bgp <any> soft|in|out",
        "clear ip bgp <any> ipv4|ipv6 unicast soft|in|out",
        "clear bgp ipv4|ipv6 unicast <any> soft|in|out",
    ),
    Rule("changing", "Empties a table or a counter."): ("clear", "clear ip", "clear ip ospf"),
    Rule("changing", "Turns on debugging."): ("debug",),
    Rule("changing", "Turns off debugging."): ("undebug", "no debug"),
    Rule("changing", "Makes keys."): ("crypto key generate",),
    Rule("changing", "Opens a session on another device: lines after it land there."): (
        "telnet|ssh|rlogin|rsh|connect|resume|pad|attach",
    ),
    Rule("changing", "Changes the mode or the session."): ("enable|disable|exit|logout|login|terminal|disconnect",),
    Rule("changing", "Sets the clock."): ("clock set", "calendar set"),
    Rule("changing", "Tests the device, with an effect on it."): ("test",),
}
EXEC: Final[Vocabulary] = vocabulary(NAMES, READING, CHANGING, DANGEROUS)

_ELSEWHERE: Final[dict[Rule, tuple[str, ...]]] = {
    Rule("dangerous", "Restarts or stops the device; what was not saved is lost."): (
        "halt|poweroff|reset",
        "system reboot|shutdown|reset|halt",
        "execute reboot|shutdown",
        "request system",
        "admin reboot|reload|shutdown",
    ),
    Rule("dangerous", "Puts the device back to how it left the factory; all configuration is lost."): (
        "execute factoryreset|formatlogdisk|restore",
        "system reset-configuration",
        "load override|factory-default",
        "reset saved-configuration",
        "zerotouch",
    ),
}
"""Of other makers, and of routers that run on Linux."""

_FOREIGN_READING: Final[dict[Rule, tuple[str, ...]]] = {READS: ("show", "ping", "traceroute")}
GENERIC: Final[Vocabulary] = vocabulary(NAMES, _FOREIGN_READING, CHANGING, DANGEROUS, _ELSEWHERE)
