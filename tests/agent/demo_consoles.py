"""What the consoles of the demo model's lab print, as real ones do."""

from __future__ import annotations

BRIEF = {
    "R1": """\
R1#show ip interface brief
Interface              IP-Address      OK? Method Status                Protocol
GigabitEthernet0/0     10.0.1.1        YES NVRAM  up                    up
GigabitEthernet0/1     10.0.12.1       YES manual up                    up
GigabitEthernet0/2     unassigned      YES unset  administratively down down
""",
    "R2": """\
R2#show ip interface brief
Interface              IP-Address      OK? Method Status                Protocol
GigabitEthernet0/0     10.0.2.1        YES NVRAM  administratively down down
GigabitEthernet0/1     10.0.12.2       YES manual up                    up
""",
}
RUNNING = {
    "R1": """\
R1#show running-config
hostname R1
!
interface GigabitEthernet0/0
 ip address 10.0.1.1 255.255.255.0
!
interface GigabitEthernet0/1
 description to R2
 ip address 10.0.12.1 255.255.255.252
 ip address 10.77.0.1 255.255.255.0 secondary
!
interface GigabitEthernet0/2
 no ip address
 shutdown
!
ip route 10.0.9.0 255.255.255.0 10.0.12.2
ip route 10.0.9.0 255.255.255.0 10.0.1.10 200
ip route 10.0.8.0 255.255.255.0 10.0.12.2
end
""",
    "R2": """\
R2#show running-config
hostname R2
!
interface GigabitEthernet0/0
 ip address 10.0.2.1 255.255.255.0
 shutdown
!
interface GigabitEthernet0/1
 ip address 10.0.12.2 255.255.255.252
!
end
""",
}
SHOW_IP = """\
{name}> show ip

NAME        : {name}[1]
IP/MASK     : {address}
GATEWAY     : {gateway}
DNS         :
MAC         : 00:50:79:66:68:00
LPORT       : 20004
RHOST:PORT  : 127.0.0.1:20005
MTU         : 1500
"""
PC1_IP = SHOW_IP.format(name="PC1", address="10.0.1.10/24", gateway="10.0.1.1")
PC2_IP = SHOW_IP.format(name="PC2", address="10.0.2.10/24", gateway="10.0.2.1")
NO_IP = SHOW_IP.format(name="PC2", address="0.0.0.0/0", gateway="0.0.0.0")
VPCS_PING = "PC1> ping 10.0.2.10\n\n" + "".join(
    f"84 bytes from 10.0.2.10 icmp_seq={number} ttl=62 time={time} ms\n"
    for number, time in enumerate((0.652, 0.602, 0.588, 0.571, 0.612), 1)
)
VPCS_LOST = "PC1> ping 10.0.2.10\n\n" + "".join(f"10.0.2.10 icmp_seq={number} timeout\n" for number in range(1, 6))
VPCS_NO_GATEWAY = "PC1> ping 10.0.2.10\n\nhost (10.0.1.1) not reachable\n"
VPCS_UNREACHABLE = "PC1> ping 10.0.2.10\n\n" + "".join(
    f"*10.0.1.1 icmp_seq={number} ttl=255 time=0.4 ms (ICMP type:3, code:1, Destination host unreachable)\n"
    for number in range(1, 6)
)
IOS_PING = """\
R1#ping 10.0.2.10
Type escape sequence to abort.
Sending 5, 100-byte ICMP Echos to 10.0.2.10, timeout is 2 seconds:
.!!!!
Success rate is 80 percent (4/5), round-trip min/avg/max = 1/2/4 ms
"""
IOS_LOST = IOS_PING.replace(".!!!!", ".....").replace(
    "80 percent (4/5), round-trip min/avg/max = 1/2/4 ms", "0 percent (0/5)"
)
VPCS_TRACE = """\
PC1> trace 10.0.2.10
trace to 10.0.2.10, 8 hops max, press Ctrl+C to stop
 1   10.0.1.1   0.345 ms  0.311 ms  0.305 ms
 2   10.0.12.2   0.545 ms  0.511 ms  0.505 ms
 3   *10.0.2.10   0.745 ms (ICMP type:3, code:3, Destination port unreachable)
"""
IOS_TRACE_LOST = """\
R1#traceroute 10.0.2.10
Type escape sequence to abort.
Tracing the route to 10.0.2.10
VRF info: (vrf in name/id, vrf out name/id)
  1 10.0.12.2 4 msec 3 msec 2 msec
  2  *  *  *
"""
CLOCK = "R1#show clock\n*10:21:07.123 UTC Mon Mar 3 2025\n"
CONSOLES = {
    ("R1", "show ip interface brief"): BRIEF["R1"],
    ("R2", "show ip interface brief"): BRIEF["R2"],
    ("PC1", "show ip"): PC1_IP,
    ("PC2", "show ip"): PC2_IP,
    ("PC1", "ping 10.0.2.10"): VPCS_PING,
    ("R1", "ping 10.0.2.10"): IOS_PING,
    ("PC1", "trace 10.0.2.10"): VPCS_TRACE,
    ("R1", "show clock"): CLOCK,
    ("R1", "show running-config"): RUNNING["R1"],
    ("R2", "show running-config"): RUNNING["R2"],
    ("R1", "show running-config | include ip route"): RUNNING["R1"],
}
TEMPLATE_LIST = [
    {"template_id": "t-1", "name": "Router (IOS-like)", "template_type": "dynamips", "category": "router"},
    {"template_id": "t-2", "name": "VPCS", "template_type": "vpcs", "category": "guest"},
    {"template_id": "t-3", "name": "Alpine", "template_type": "docker", "category": "guest"},
]
