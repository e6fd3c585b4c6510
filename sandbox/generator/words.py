"""Word lists of the invented shop: people in many scripts, devices, parts, phrases.

Short on purpose: combinations make the variety, not the length of the lists. Brands are invented.
"""

from __future__ import annotations

from typing import NamedTuple


class Script(NamedTuple):
    """People's names of one script, and how they are written."""

    weight: int
    """How many of a hundred customers carry such a name."""
    given: tuple[str, ...]
    family: tuple[str, ...]
    family_first: bool = False
    """Family name first, without a space (Chinese, Japanese, Korean)."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SCRIPTS: tuple[Script, ...] = (
    Script(
        38,
        _words(
            "Ana Carlos María José Luis Sofía Diego Lucía Andrés Elena Tomás Inés Javier Paula "
            "Rosa Mateo Camila Hugo Valeria Óscar Nuria Iván Beatriz Joaquín Begoña"
        ),
        _words(
            "García Rodríguez López Hernández Muñoz Pérez Gómez Ramírez Castañeda Ortiz Núñez "
            "Vargas Ibáñez Morales Reyes Cárdenas Peña Salazar Quiñones Velásquez"
        ),
    ),
    Script(
        30,
        _words(
            "Emma Oliver James Amelia Zoë Noah Chloé François Jürgen Anneliese Søren Åse Łukasz "
            "Zofia Jiří Şebnem Gülşah Nguyễn Siobhán Björn Ilse Matthew Aoife Örs Ștefan"
        ),
        _words(
            "Smith Müller O'Neill Dvořák Kowalczyk Ångström Lefèvre Van-Dijk Jensen Yılmaz "
            "Nagy Popescu Brown McDonald Strauß Sørensen Þórsson Bajić Trần D'Angelo"
        ),
    ),
    Script(
        7,
        _words("Анна Дмитрий Ольга Сергей Юлія Їжак Мария Георгий Наталья Ёлкин"),
        _words("Иванова Петренко Щербаков Цой Жуковська Рыбаков Љубић Ђорђевић"),
    ),
    Script(
        5,
        _words("Γιώργος Ελένη Νίκος Κατερίνα Δημήτρης Ιωάννα Σπύρος"),
        _words("Παπαδόπουλος Οικονόμου Νικολαΐδης Αγγέλου Ξένος"),
    ),
    Script(
        5,
        _words("محمد فاطمة أحمد ليلى يوسف مريم خالد نور"),
        _words("الحسن العلي حداد المصري خوري بن-سالم"),
    ),
    Script(3, _words("דוד רחל משה תמר יעל אבי נועה"), _words("כהן לוי מזרחי פרץ ביטון אברהם")),
    Script(
        5,
        _words("伟 芳 秀英 敏 建国 丽娜 子轩 雨桐"),
        _words("王 李 张 刘 陈 欧阳 赵 黄"),
        family_first=True,
    ),
    Script(
        2,
        _words("さくら 健太 陽菜 翔 美咲 大輔 みゆき"),
        _words("佐藤 鈴木 高橋 渡邉 齋藤 山本"),
        family_first=True,
    ),
    Script(2, _words("민준 서연 지우 도윤 하은"), _words("김 이 박 최 정 남궁"), family_first=True),
    Script(
        3,
        _words("आरव प्रिया राहुल अनन्या विक्रम दीक्षा श्रेया"),
        _words("शर्मा वर्मा पटेल गुप्ता सिंह कृष्णन"),
    ),
)

COMPANIES = _words(
    "Lumbre Altamar Cobalto Fjord&Söhne Quetzal Boreal Miller&Sons Ceiba Åkerblom Ágora Tandem "
    "Zenit"
)
COMPANY_FORMS = ("S.A.", "Ltd", "GmbH", "y Cía.", "Oy", "LLC")

STREETS = _words(
    "Cedar Harbour Mill Station Church Jacaranda Reforma Market Castle Orchard Volcán Linden"
)
CITIES: tuple[tuple[str, str], ...] = (
    ("Puerto Alto", "01010"),
    ("San Marcos", "12001"),
    ("Northbridge", "NB1 4QX"),
    ("Älvsund", "441 30"),
    ("Valle Verde", "03002"),
    ("Kingsmere", "KM7 2AB"),
)

BRANDS = _words(
    "Orbita Kestrel Nordlys Hanabi Tecoma Vireo Quartz Mistral Zonda Lynx Arbol Pixelar "
    "Saffron Umbra Delfin Castor Rayo Tundra Ember Calypso"
)
MODEL_GROUPS = ("Phones", "Tablets", "Laptops", "Watches", "Consoles", "Cameras")
MODEL_STEMS = _words("One Neo Air Pro Max Lite Ultra Mini Plus Note Edge Fold")

REPAIR_CATEGORIES = ("Screens", "Batteries", "Ports", "Cameras", "Housings", "Boards")
SHELF_CATEGORIES = ("Cases", "Cables", "Chargers", "Protectors", "Audio", "Refurbished", "Storage")
SERVICE_CATEGORY = "Labour"

# Category -> (name, cost in cents from, to) of what is sold in it.
GOODS: dict[str, tuple[tuple[str, int, int], ...]] = {
    "Screens": (("Screen assembly", 2400, 16500), ("Digitizer", 900, 5200)),
    "Batteries": (("Battery", 700, 3900), ("Battery adhesive set", 90, 240)),
    "Ports": (("Charging port flex", 350, 2100), ("Headphone jack", 250, 900)),
    "Cameras": (("Rear camera", 1500, 9800), ("Camera lens glass", 120, 650)),
    "Housings": (("Back glass", 600, 4200), ("Frame with buttons", 1100, 6400)),
    "Boards": (("Audio IC", 180, 900), ("Logic board, tested", 6500, 31000)),
    "Cases": (("Silicone case", 180, 700), ("Leather wallet case", 450, 1600)),
    "Cables": (("USB-C cable 1 m", 110, 380), ("Braided cable 2 m", 190, 620)),
    "Chargers": (("Wall charger 20 W", 420, 1300), ("Car charger", 260, 880)),
    "Protectors": (("Tempered glass", 60, 310), ("Privacy glass", 110, 520)),
    "Audio": (("Earphones", 240, 1900), ("Bluetooth speaker", 900, 4500)),
    "Refurbished": (("Refurbished phone", 5200, 42000), ("Refurbished tablet", 7900, 38000)),
    "Storage": (("Memory card 64 GB", 380, 990), ("USB drive 128 GB", 520, 1400)),
}

SERVICES: tuple[tuple[str, int], ...] = (
    ("Diagnosis", 1500),
    ("Labour, half an hour", 2000),
    ("Labour, one hour", 3800),
    ("Data recovery", 7500),
    ("Water damage treatment", 4900),
    ("Micro-soldering", 9500),
    ("Software restore", 2500),
    ("Express surcharge", 1200),
)

# Issue type -> (category of the part it takes or None, short description of the fault).
ISSUES: tuple[tuple[str, str | None, str], ...] = (
    ("Broken screen", "Screens", "Glass shattered, touch works in places"),
    ("Battery", "Batteries", "Drains within two hours, swollen"),
    ("Does not charge", "Ports", "No reaction to the charger"),
    ("Camera", "Cameras", "Blurred pictures, rattles"),
    ("Housing damage", "Housings", "Back cracked after a fall"),
    ("Water damage", None, "Fell into water, dead since"),
    ("Software", None, "Restarts by itself"),
    ("No power", "Boards", "Does not switch on"),
    ("Sound", "Boards", 'Says "No SIM?" & crackles <sometimes>'),
    ("Data recovery", None, "Needs photos from the dead device"),
)

# Label, type, whether tickets in it are in the pipeline.
STATUSES: tuple[tuple[str, str, bool], ...] = (
    ("New", "repair", True),
    ("In Progress", "repair", True),
    ("Waiting for Parts", "repair", True),
    ("Waiting on Customer", "repair", True),
    ("Repaired", "repair", True),
    ("Ready for Collection", "repair", True),
    ("Collected", "repair", False),
    ("Not Repairable", "repair", False),
    ("Cancelled", "repair", False),
    ("Update", "repair_notes", False),
    ("Diagnosis", "repair_notes", False),
    ("Customer Contacted", "repair_notes", False),
    ("Part Ordered", "repair_notes", False),
    ("Quality Check", "repair_notes", False),
)

SPANISH_STATUSES: dict[str, str] = {
    "New": "Nuevo",
    "In Progress": "En proceso",
    "Waiting for Parts": "Esperando repuesto",
    "Waiting on Customer": "Esperando cliente",
    "Repaired": "Reparado",
    "Ready for Collection": "Listo para entregar",
    "Collected": "Finalizado / Entregado",
    "Not Repairable": "Sin reparación",
    "Cancelled": "Anulado por el cliente",
}
"""What a Spanish-speaking shop calls the statuses of type repair."""

COMMENTS: dict[str, tuple[str, ...]] = {
    "Update": (
        "Looked at it, continues tomorrow.",
        "Moved to bench 2.\nAsk for the PIN; it's 4 digits.",
        "Revisado; sigue mañana.",
    ),
    "Diagnosis": ("Fault confirmed.", "Corrosion around the connector.", "Se confirma la falla."),
    "Customer Contacted": ("Price agreed by phone.", "Left a message.", "已通知客户。"),
    "Part Ordered": ("Part ordered, about 3 days.", "Pieza pedida."),
    "Quality Check": ("Tested for 30 minutes, fine.", "All buttons and cameras checked."),
}

RETURN_REASONS = (
    "Did not fit",
    "Faulty after a week",
    "Changed their mind",
    "Repair did not hold",
    "Wrong colour",
)

EXPENSE_CATEGORIES: tuple[tuple[str, int, int], ...] = (
    ("Rent", 145000, 145000),
    ("Electricity", 14000, 31000),
    ("Internet and telephone", 5900, 7900),
    ("Tools", 900, 24000),
    ("Cleaning", 1500, 6000),
    ("Advertising", 3000, 40000),
    ("Postage", 300, 2600),
)

LEAD_STATUSES = (
    "New",
    "Lead",
    "First Contact",
    "Opportunity",
    "Prospect",
    "Waiting on Customer",
    "In Negotiation",
    "Pending",
    "Won",
    "Lost",
)
LEAD_SUBJECTS = (
    "Price for a screen?",
    "Ten tablets for a school",
    "Can you fix a console?",
    "¿Reparan cámaras?",
    "Service contract for an office",
)
SOURCES = ("Website", "Walk-in", "Recommendation", "Search", "")
CARRIERS = ("Rapidex", "Postal Service", "Blue Arrow")

# Type, name, kind of value, category id, tab id, choices. Category and tab 0 are the default ones.
CUSTOM_FIELDS: tuple[tuple[str, str, str, int, int, str], ...] = (
    ("tickets", "Passcode", "text", 0, 0, ""),
    ("tickets", "Accessories left", "text", 0, 0, ""),
    ("tickets", "Liquid indicator", "list", 1, 1, "White,Pink,Red"),
    ("tickets", "Frame bent", "list", 1, 0, "Yes,No"),
    ("tickets", "Insurance number", "text", 2, 1, ""),
    ("tickets", "Swollen", "list", 2, 0, "Yes,No"),
    ("tickets", "Insurer's reference", "text", 2, 2, ""),
    ("tickets", "Courier", "text", 0, 1, ""),
    ("customers", "Preferred language", "list", 0, 0, "es,en,de"),
    ("customers", "Loyalty card", "text", 0, 0, ""),
    ("leads", "Budget", "number", 0, 0, ""),
    ("products", "Quality grade", "list", 0, 0, "A,B,C"),
)


class Country(NamedTuple):
    """Where a shop stands."""

    code: str
    currency: str
    dial: str


COUNTRIES: dict[str, Country] = {
    "America/Guatemala": Country("GT", "GTQ", "+502"),
    "America/Mexico_City": Country("MX", "MXN", "+52"),
    "America/New_York": Country("US", "USD", "+1"),
    "America/Los_Angeles": Country("US", "USD", "+1"),
    "America/Sao_Paulo": Country("BR", "BRL", "+55"),
    "Europe/London": Country("GB", "GBP", "+44"),
    "Europe/Berlin": Country("DE", "EUR", "+49"),
    "Europe/Madrid": Country("ES", "EUR", "+34"),
    "Asia/Kolkata": Country("IN", "INR", "+91"),
    "Australia/Sydney": Country("AU", "AUD", "+61"),
    "Pacific/Auckland": Country("NZ", "NZD", "+64"),
}
"""By time zone; a shop in any other zone is one in Guatemala that keeps strange hours."""
