"""What a VPCS-like host shows about itself."""

from __future__ import annotations

from copilot_ws.labs.local.network import Network
from copilot_ws.labs.local.vpcs_state import Host

ARP_SECONDS = 120
FIRST_PORT = 20000

VERSION = """\

Welcome to the embedded lab of copilot-ws, a Virtual PC Simulator in the manner of VPCS, version 0.8.3
It is not VPCS itself: it offers the commands that '?' lists.
"""

HELP = """\
?                        Print help
arp                      Shortcut for: show arp. Show arp table
clear ARG                Clear IPv4 settings, ARP cache or history; ARG: ip, arp, hist
dhcp                     Shortcut for: ip dhcp. Configure the IP settings by DHCP
echo TEXT                Display TEXT in output
help                     Print help
history                  Shortcut for: show history. List the command history
ip ARG ...               Configure the IP settings; see ip ?
load                     Load the configuration from startup.vpc
ping HOST [OPTION ...]   Ping HOST with ICMP. Options: -c COUNT, -i MS, -l SIZE, -t, -T TTL, -w MS
save                     Save the configuration to startup.vpc
set pcname NAME          Set the name of this PC
show [ARG ...]           Print the information of this PC; ARG: arp, history, ip, version
sleep [seconds] [TEXT]   Print TEXT and pause for seconds
trace HOST [OPTION ...]  Print the path packets take to network HOST. Option: -m TTL
version                  Shortcut for: show version
"""

IP_HELP = """\
ip ARG ...
  Configure the IP settings of this PC; ARG:
    address [mask] [gateway]
    address [gateway] [mask]
                   The address, its mask (/26, 26 or 255.255.255.192; /24 unless given), the default gateway
    dhcp           Attempt to obtain the settings by DHCP
"""

NOT_OFFERED = "VPCS has this command; the embedded lab does not offer it yet.\n"


def colons(mac: str) -> str:
    """`00:50:79:66:68:00`"""
    return ":".join(mac[at : at + 2] for at in range(0, 12, 2))


def show_ip(host: Host) -> str:
    near = FIRST_PORT + 2 * host.number
    return (
        "\n"
        f"NAME        : {host.name}[1]\n"
        f"IP/MASK     : {host.port.address or '0.0.0.0/0'}\n"
        f"GATEWAY     : {host.gateway or '0.0.0.0'}\n"
        "DNS         : \n"
        f"MAC         : {colons(host.port.mac)}\n"
        f"LPORT       : {near}\n"
        f"RHOST:PORT  : 127.0.0.1:{near + 1}\n"
        "MTU         : 1500\n"
    )


def show(host: Host) -> str:
    near = FIRST_PORT + 2 * host.number
    address, gateway = str(host.port.address or "0.0.0.0/0"), str(host.gateway or "0.0.0.0")
    return (
        "\n"
        f"{'NAME':<7}{'IP/MASK':<21}{'GATEWAY':<18}{'MAC':<19}{'LPORT':<7}RHOST:PORT\n"
        f"{host.name:<7}{address:<21}{gateway:<18}{colons(host.port.mac):<19}{near:<7}127.0.0.1:{near + 1}\n"
    )


def show_arp(host: Host, network: Network) -> str:
    lines = []
    for address, seen in host.stack.arp.items():
        left = ARP_SECONDS - int(network.clock() - seen.time)
        if left > 0:
            lines.append(f"{colons(seen.mac)}  {address} expires in {left} seconds \n")
    return "\n" + ("".join(lines) or "arp table is empty\n")
