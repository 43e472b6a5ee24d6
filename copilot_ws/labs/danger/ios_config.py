"""The configuration commands of IOS and its relatives, and what each of them does."""

from __future__ import annotations

from typing import Final

from copilot_ws.labs.danger.verdict import CONFIGURES, Rule
from copilot_ws.labs.danger.words import Vocabulary, names, vocabulary

NAMES: Final = names(
    """
    aaa access-list alias archive arp atm authentication banner bba-group boot bridge buffers busy-message
    call call-home cdp class-map clns clock config-register configuration control-plane controller crypto cts
    default define device dial-peer dialer dialer-list do dot1x enable end energywise eou errdisable ethernet
    event exception exit fallback file flow frame-relay ftp-server gatekeeper help hostname hw-module identity
    interface ip ipv6 isdn isis kerberos key keymap kron l2tp-class lacp line link lldp logging login mac macro
    map-class map-list memory menu mls modemcap monitor mop mpls multilink netconf no ntp object-group
    parameter-map parser partition platform policy-map ppp priority-list privilege process prompt
    pseudowire-class qos queue-list radius radius-server redundancy regexp resume-string rif rlogin rmon
    route-map router scheduler scripting sdm security service sgbp snmp snmp-server source-bridge
    spanning-tree standby stun subscriber switch system tacacs-server table-map template tftp-server
    time-range track translate translation tunnel udld username vc-class virtual-template vlan vmps voice vpdn
    vpdn-group vrf vtp wccp xconnect zone zone-pair
    address-family area auto-summary bandwidth channel-group class default-information default-metric
    default-router delay description distance dns-server duplex encapsulation exec-timeout ip-address
    keepalive lease load-interval match mtu nameif neighbor network passive-interface password peer permit
    deny police power redistribute remark route-target router-id set shutdown speed summary-address
    switchport timers transport tunnel version
    """
)
_NEGATIVE: Final = tuple(f"no|default {name}" for name in NAMES)
_IP_NAMES: Final = tuple(
    f"{start} {word}"
    for start in ("ip", "no ip", "default ip")
    for word in names("""access-list address as-path bgp-community cef community-list default-gateway dhcp domain
    domain-lookup domain-name flow-export forward-protocol helper-address host http igmp local mtu multicast
    name-server nat ospf pim prefix-list proxy-arp redirects rip route route-cache routing scp ssh subnet-zero
    tcp tftp unreachables verify vrf""")
)

FREE_TEXT: Final[dict[Rule, tuple[str, ...]]] = {
    Rule("changing", CONFIGURES.reason, "text"): (
        "description",
        "no|default description",
        "banner",
        "remark",
        "<any> remark",
        "access-list <any> remark",
        "snmp-server contact|location",
    ),
}
HARMFUL: Final[dict[Rule, tuple[str, ...]]] = {
    Rule("dangerous", "Stops routing: the device forwards no packet any more."): (
        "no|default ip routing",
        "no|default ipv6 unicast-routing",
    ),
    Rule("dangerous", "Removes a routing process with all its settings."): ("no|default router",),
    Rule("dangerous", "Removes a routing table, and the addresses of every interface in it."): (
        "no|default vrf",
        "no|default ip vrf",
    ),
    Rule("dangerous", "Takes all settings from an interface: it loses its address and its use."): (
        "default interface",
    ),
    Rule("dangerous", "Takes a login away: people may be locked out."): (
        "no|default username",
        "no|default enable",
        "no|default aaa",
        "no|default service password-recovery",
    ),
    Rule("dangerous", "Makes every login depend on AAA: without a user or a server nobody gets in."): (
        "aaa new-model",
    ),
    Rule("dangerous", "Decides how the device starts next time: a wrong value keeps it from starting."): (
        "config-register",
        "no|default config-register",
        "boot",
        "no|default boot",
    ),
    Rule("dangerous", "Destroys keys: what logs in or encrypts with them stops."): ("crypto key zeroize",),
    Rule("dangerous", "Opens the network to loops that take it down."): ("no|default spanning-tree",),
    Rule("dangerous", "Changes what the device is licensed for."): ("license", "no|default license"),
    Rule("dangerous", "Runs a program on the device, which may do anything."): ("event manager run", "tclsh"),
    Rule("dangerous", "Restarts a part of the device."): ("hw-module <any> <any> reload|reset|shutdown",),
    Rule("dangerous", "Makes the device restart or switch over later, when an event comes."): (
        "action <any> reload|force-switchover",
    ),
}
COMMANDS: Final[dict[Rule, tuple[str, ...]]] = {
    Rule("changing", "Makes the device run a command later.", "command"): (
        "alias <any> <any>",
        "action <any> cli command",
        "cli",
        "menu <any> command <any>",
        "autocommand",
        *(f"username {'<any> ' * count}autocommand" for count in range(1, 8)),
    ),
}
LEAVING: Final[dict[Rule, tuple[str, ...]]] = {
    Rule("changing", "Leaves the mode that the lines before it entered."): ("end", "exit", "quit"),
}
HARMLESS: Final[dict[Rule, tuple[str, ...]]] = {
    CONFIGURES: (
        "no|default vrf forwarding",
        "no|default ip vrf forwarding|receive",
        "no|default spanning-tree portfast|guard|cost|bpduguard|bpdufilter|link-type|port-priority",
    ),
}
CONFIG: Final[Vocabulary] = vocabulary(
    (*NAMES, *_NEGATIVE, *_IP_NAMES),
    FREE_TEXT,
    HARMFUL,
    HARMLESS,
    COMMANDS,
    LEAVING,
)
