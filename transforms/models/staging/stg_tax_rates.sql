{{ staged('tax_rates',
    texts=['name', 'code', 'type'],
    numbers=['value']) }}
